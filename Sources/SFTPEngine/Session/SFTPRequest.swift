/// A request without its number (draft-ietf-secsh-filexfer-02, section 6).
package struct SFTPRequest: Sendable {
    package let type: SFTPPacketType
    /// The content after the number.
    let body: [UInt8]

    init(_ type: SFTPPacketType, _ fill: (inout SFTPWriter) -> Void) {
        self.type = type
        var writer = SFTPWriter()
        fill(&writer)
        body = writer.bytes
    }

    /// Whether it is answered by a handle.
    package var opens: Bool { type == .open || type == .opendir }

    /// Whether it carries data.
    var isHeavy: Bool { body.count > SFTPQueue.lightest }

    /// The packet in its wire format.
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
        /// The bits of the wire format.
        package let rawValue: UInt32
        /// Creates flags from the bits of the wire format.
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// For `READ`.
        package static let read = OpenFlags(rawValue: 1)
        /// For `WRITE`.
        package static let write = OpenFlags(rawValue: 2)
        /// Every `WRITE` appends, whatever its offset.
        package static let append = OpenFlags(rawValue: 4)
        /// Creates a missing file.
        package static let create = OpenFlags(rawValue: 8)
        /// Truncates the file; only with ``create``.
        package static let truncate = OpenFlags(rawValue: 16)
        /// Fails if the name is in use; only with ``create``. Not every server supports it.
        package static let exclusive = OpenFlags(rawValue: 32)
    }

    // MARK: Files

    /// Opens a file; answered by a handle.
    ///
    /// - Parameter attributes: The attributes of a created file. The server chooses those that are nil.
    package static func open(_ path: [UInt8], _ flags: OpenFlags, _ attributes: SFTPAttributes = SFTPAttributes())
        -> SFTPRequest
    {
        SFTPRequest(.open) {
            $0.put(string: path)
            $0.put(flags.rawValue)
            attributes.put(into: &$0)
        }
    }

    /// Closes a file or folder. An error in writing earlier bytes may be reported here.
    package static func close(_ handle: SFTPHandle) -> SFTPRequest {
        SFTPRequest(.close) { $0.put(string: handle.bytes) }
    }

    /// Reads bytes of an open file; fewer if the server or the file has no more; `endOfFile` after the last.
    ///
    /// - Parameter count: No more than ``SFTPLimits/read``.
    package static func read(_ handle: SFTPHandle, at offset: UInt64, count: UInt32) -> SFTPRequest {
        SFTPRequest(.read) {
            $0.put(string: handle.bytes)
            $0.put(offset)
            $0.put(count)
        }
    }

    /// Writes bytes to an open file.
    ///
    /// - Parameter data: No more bytes than ``SFTPLimits/write``.
    package static func write(_ handle: SFTPHandle, at offset: UInt64, _ data: some Collection<UInt8>) -> SFTPRequest {
        SFTPRequest(.write) {
            $0.put(string: handle.bytes)
            $0.put(offset)
            $0.put(string: data)
        }
    }

    // MARK: Folders

    /// Opens a folder; answered by a handle.
    package static func opendir(_ path: [UInt8]) -> SFTPRequest { SFTPRequest(.opendir) { $0.put(string: path) } }

    /// Reads the next names of an open folder with attributes, as many as the server chooses; `endOfFile` after the
    /// last.
    package static func readdir(_ handle: SFTPHandle) -> SFTPRequest {
        SFTPRequest(.readdir) { $0.put(string: handle.bytes) }
    }

    /// Makes a folder with the server's default permissions. Its parent must exist.
    package static func mkdir(_ path: [UInt8]) -> SFTPRequest {
        SFTPRequest(.mkdir) {
            $0.put(string: path)
            SFTPAttributes().put(into: &$0)
        }
    }

    /// Removes an empty folder.
    package static func rmdir(_ path: [UInt8]) -> SFTPRequest { SFTPRequest(.rmdir) { $0.put(string: path) } }

    // MARK: Attributes

    /// Attributes of an item, following links.
    package static func stat(_ path: [UInt8]) -> SFTPRequest { SFTPRequest(.stat) { $0.put(string: path) } }

    /// Attributes of a link itself; on some servers those of its target.
    package static func lstat(_ path: [UInt8]) -> SFTPRequest { SFTPRequest(.lstat) { $0.put(string: path) } }

    /// Attributes of an open file.
    package static func fstat(_ handle: SFTPHandle) -> SFTPRequest {
        SFTPRequest(.fstat) { $0.put(string: handle.bytes) }
    }

    /// Sets the attributes that are not nil, following links.
    package static func setstat(_ path: [UInt8], _ attributes: SFTPAttributes) -> SFTPRequest {
        SFTPRequest(.setstat) {
            $0.put(string: path)
            attributes.put(into: &$0)
        }
    }

    /// Sets the attributes that are not nil. A later `WRITE` changes the time again.
    package static func fsetstat(_ handle: SFTPHandle, _ attributes: SFTPAttributes) -> SFTPRequest {
        SFTPRequest(.fsetstat) {
            $0.put(string: handle.bytes)
            attributes.put(into: &$0)
        }
    }

    // MARK: Names

    /// Removes a file or a link.
    package static func remove(_ path: [UInt8]) -> SFTPRequest { SFTPRequest(.remove) { $0.put(string: path) } }

    /// Renames. By the draft it fails if the destination exists; some servers replace it.
    package static func rename(_ path: [UInt8], to destination: [UInt8]) -> SFTPRequest {
        SFTPRequest(.rename) {
            $0.put(string: path)
            $0.put(string: destination)
        }
    }

    /// The target of a link; answered by one name.
    package static func readlink(_ path: [UInt8]) -> SFTPRequest { SFTPRequest(.readlink) { $0.put(string: path) } }

    /// Makes a symbolic link.
    ///
    /// - Parameter isReversed: Sends the target before the link, as OpenSSH expects; the draft has the other order.
    package static func symlink(_ link: [UInt8], to target: [UInt8], isReversed: Bool) -> SFTPRequest {
        SFTPRequest(.symlink) {
            $0.put(string: isReversed ? target : link)
            $0.put(string: isReversed ? link : target)
        }
    }

    /// The absolute path; answered by one name.
    package static func realpath(_ path: [UInt8]) -> SFTPRequest { SFTPRequest(.realpath) { $0.put(string: path) } }
}
