/// The status of a request that failed or has no other result (draft-ietf-secsh-filexfer-02, section 7).
package struct SFTPStatus: Sendable, Hashable {
    /// The codes of version 3. A server may send others.
    package enum Code {
        /// Done.
        package static let ok: UInt32 = 0
        /// Nothing more to read or to list.
        package static let endOfFile: UInt32 = 1
        /// The item does not exist; some servers also use it for an invalid handle.
        package static let noSuchFile: UInt32 = 2
        /// The account lacks the permission.
        package static let permissionDenied: UInt32 = 3
        /// Any other failure: most servers are not more specific.
        package static let failure: UInt32 = 4
        /// The server could not parse the request.
        package static let badMessage: UInt32 = 5
        /// The server is not connected to its own storage.
        package static let noConnection: UInt32 = 6
        /// The server has lost that connection.
        package static let connectionLost: UInt32 = 7
        /// The server does not know the request.
        package static let unsupported: UInt32 = 8
    }

    /// One of ``Code``, or another number.
    package let code: UInt32
    /// The server's message; empty if it has none.
    package let message: String

    /// As a server sends it.
    package init(code: UInt32, message: String = "") {
        self.code = code
        self.message = message
    }

    /// Whether the server has completed the request.
    package var isOK: Bool { code == Code.ok }
    /// Whether there is nothing more to read or to list.
    package var isEndOfFile: Bool { code == Code.endOfFile }
}

/// A reply to a request.
package enum SFTPReply: Sendable {
    case status(SFTPStatus)
    case handle(SFTPHandle)
    case data([UInt8])
    case names([SFTPName])
    case attributes(SFTPAttributes)
    /// An extension's reply, in its specific form.
    case extended([UInt8])

    /// The status; nil for another reply.
    package var status: SFTPStatus? {
        if case .status(let status) = self { return status }
        return nil
    }

    /// The maximum number of bytes of a message that are kept.
    private static let maxMessageLength = 1024

    init(type: UInt8, decoder: inout SFTPDecoder) throws {
        switch SFTPPacketType(rawValue: type) {
        case .status: self = .status(try Self.status(&decoder))
        case .handle: self = .handle(try Self.handle(&decoder))
        case .data: self = .data(Array(try decoder.string()))
        case .name: self = .names(try Self.names(&decoder))
        case .attributes: self = .attributes(try SFTPAttributes(&decoder))
        case .extendedReply: self = .extended(try Self.rest(&decoder))
        default: throw SFTPProtocolError.unexpected(type)
        }
    }

    private static func handle(_ decoder: inout SFTPDecoder) throws -> SFTPHandle {
        let bytes = try decoder.string()
        guard bytes.count <= SFTPHandle.maxLength else { throw SFTPProtocolError.longHandle(bytes.count) }
        return SFTPHandle(bytes: Array(bytes))
    }

    static func status(_ decoder: inout SFTPDecoder) throws -> SFTPStatus {
        let code = try decoder.uint32()
        // Some servers omit the message, which version 3 does not allow.
        guard decoder.count > 0 else { return SFTPStatus(code: code) }
        let message = try decoder.string()
        return SFTPStatus(code: code, message: String(decoding: message.prefix(maxMessageLength), as: UTF8.self))
    }

    private static func names(_ decoder: inout SFTPDecoder) throws -> [SFTPName] {
        let count = try decoder.uint32()
        // Two lengths and the flags: the minimum size of a name.
        guard Int(count) <= decoder.count / 12 else { throw SFTPProtocolError.cutOff }
        var names: [SFTPName] = []
        names.reserveCapacity(Int(count))
        for _ in 0..<count {
            let filename = Array(try decoder.string())
            let longname = Array(try decoder.string())
            names.append(SFTPName(filename: filename, longname: longname, attributes: try SFTPAttributes(&decoder)))
        }
        return names
    }

    private static func rest(_ decoder: inout SFTPDecoder) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(decoder.count)
        while decoder.count > 0 { bytes.append(try decoder.byte()) }
        return bytes
    }
}

/// The server's identifier of an open file or folder, valid in one session only.
package struct SFTPHandle: Sendable, Hashable {
    /// In bytes (draft section 6.2).
    static let maxLength = 256

    /// As the server sent it, at most ``maxLength``.
    package let bytes: [UInt8]

    /// Creates a handle from the server's bytes.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// Thrown with the server's status if a transfer needed another reply.
package struct SFTPRefusal: Error {
    /// As the server sent it.
    package let status: SFTPStatus

    /// For a status that is not `ok`.
    package init(status: SFTPStatus) { self.status = status }
}
