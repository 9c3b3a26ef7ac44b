/// A request without its number (draft-ietf-secsh-filexfer-02, section 6).
package struct SFTPRequest: Sendable {
    let type: SFTPPacketType
    /// What follows the number.
    let body: [UInt8]

    init(_ type: SFTPPacketType, _ fill: (inout SFTPWriter) -> Void) {
        self.type = type
        var writer = SFTPWriter()
        fill(&writer)
        body = writer.bytes
    }

    /// Whether the server gives a handle, which has to be closed whoever waits for it.
    var opens: Bool { type == .open || type == .opendir }

    /// The packet as it goes over the wire.
    func packet(id: UInt32) -> [UInt8] {
        var writer = SFTPWriter()
        writer.bytes.reserveCapacity(body.count + 9)
        writer.put(UInt32(body.count + 5))
        writer.put(type.rawValue)
        writer.put(id)
        writer.bytes += body
        return writer.bytes
    }

    /// How a file is opened (draft section 6.3).
    package struct OpenFlags: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        package static let read = OpenFlags(rawValue: 1)
        package static let write = OpenFlags(rawValue: 2)
        package static let append = OpenFlags(rawValue: 4)
        package static let create = OpenFlags(rawValue: 8)
        package static let truncate = OpenFlags(rawValue: 16)
        package static let exclusive = OpenFlags(rawValue: 32)
    }

    // MARK: Files

    package static func open(_ path: [UInt8], _ flags: OpenFlags, _ attributes: SFTPAttributes = SFTPAttributes()) -> SFTPRequest {
        SFTPRequest(.open) {
            $0.put(string: path)
            $0.put(flags.rawValue)
            attributes.put(into: &$0)
        }
    }

    package static func close(_ handle: SFTPHandle) -> SFTPRequest { SFTPRequest(.close) { $0.put(string: handle.bytes) } }

    /// - Parameter count: Bytes, no more than ``SFTPLimits/read``.
    package static func read(_ handle: SFTPHandle, at offset: UInt64, count: UInt32) -> SFTPRequest {
        SFTPRequest(.read) {
            $0.put(string: handle.bytes)
            $0.put(offset)
            $0.put(count)
        }
    }

    /// - Parameter data: No more bytes than ``SFTPLimits/write``.
    package static func write(_ handle: SFTPHandle, at offset: UInt64, _ data: some Collection<UInt8>) -> SFTPRequest {
        SFTPRequest(.write) {
            $0.put(string: handle.bytes)
            $0.put(offset)
            $0.put(string: data)
        }
    }

    // MARK: Folders

    package static func opendir(_ path: [UInt8]) -> SFTPRequest { SFTPRequest(.opendir) { $0.put(string: path) } }

    package static func readdir(_ handle: SFTPHandle) -> SFTPRequest { SFTPRequest(.readdir) { $0.put(string: handle.bytes) } }

    package static func mkdir(_ path: [UInt8]) -> SFTPRequest {
        SFTPRequest(.mkdir) {
            $0.put(string: path)
            SFTPAttributes().put(into: &$0)
        }
    }

    package static func rmdir(_ path: [UInt8]) -> SFTPRequest { SFTPRequest(.rmdir) { $0.put(string: path) } }

    // MARK: Attributes

    package static func stat(_ path: [UInt8]) -> SFTPRequest { SFTPRequest(.stat) { $0.put(string: path) } }

    package static func lstat(_ path: [UInt8]) -> SFTPRequest { SFTPRequest(.lstat) { $0.put(string: path) } }

    package static func fstat(_ handle: SFTPHandle) -> SFTPRequest { SFTPRequest(.fstat) { $0.put(string: handle.bytes) } }

    package static func setstat(_ path: [UInt8], _ attributes: SFTPAttributes) -> SFTPRequest {
        SFTPRequest(.setstat) {
            $0.put(string: path)
            attributes.put(into: &$0)
        }
    }

    package static func fsetstat(_ handle: SFTPHandle, _ attributes: SFTPAttributes) -> SFTPRequest {
        SFTPRequest(.fsetstat) {
            $0.put(string: handle.bytes)
            attributes.put(into: &$0)
        }
    }

    // MARK: Names

    package static func remove(_ path: [UInt8]) -> SFTPRequest { SFTPRequest(.remove) { $0.put(string: path) } }

    package static func rename(_ path: [UInt8], to destination: [UInt8]) -> SFTPRequest {
        SFTPRequest(.rename) {
            $0.put(string: path)
            $0.put(string: destination)
        }
    }

    package static func readlink(_ path: [UInt8]) -> SFTPRequest { SFTPRequest(.readlink) { $0.put(string: path) } }

    /// - Parameter isReversed: The target before the link, as OpenSSH has it; the draft has them the other way round.
    package static func symlink(_ link: [UInt8], to target: [UInt8], isReversed: Bool) -> SFTPRequest {
        SFTPRequest(.symlink) {
            $0.put(string: isReversed ? target : link)
            $0.put(string: isReversed ? link : target)
        }
    }

    package static func realpath(_ path: [UInt8]) -> SFTPRequest { SFTPRequest(.realpath) { $0.put(string: path) } }
}
