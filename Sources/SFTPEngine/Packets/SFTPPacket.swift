import FileProviderCore
import Foundation

/// The type of a packet (draft-ietf-secsh-filexfer-02, section 3).
package enum SFTPPacketType: UInt8, Sendable {
    case initialize = 1
    case version = 2
    case open = 3
    case close = 4
    case read = 5
    case write = 6
    case lstat = 7
    case fstat = 8
    case setstat = 9
    case fsetstat = 10
    case opendir = 11
    case readdir = 12
    case remove = 13
    case mkdir = 14
    case rmdir = 15
    case realpath = 16
    case stat = 17
    case rename = 18
    case readlink = 19
    case symlink = 20
    case status = 101
    case handle = 102
    case data = 103
    case name = 104
    case attributes = 105
    case extended = 200
    case extendedReply = 201
}

/// Encodes numbers and strings (draft section 4; RFC 4251, section 5).
struct SFTPWriter {
    var bytes: [UInt8] = []

    mutating func put(_ value: UInt8) { bytes.append(value) }

    mutating func put(_ value: UInt32) { withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) } }

    mutating func put(_ value: UInt64) { withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) } }

    mutating func put(string: some Collection<UInt8>) {
        put(UInt32(string.count))
        bytes.append(contentsOf: string)
    }
}

/// Decodes numbers and strings. Checks every length in the packet before it is used.
struct SFTPDecoder {
    private var rest: UnsafeRawBufferPointer.SubSequence

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    /// The remaining bytes.
    var count: Int { rest.count }

    mutating func byte() throws -> UInt8 {
        guard let byte = rest.popFirst() else { throw SFTPProtocolError.cutOff }
        return byte
    }

    mutating func uint32() throws -> UInt32 { try integer() }

    mutating func uint64() throws -> UInt64 { try integer() }

    private mutating func integer<Value: FixedWidthInteger>() throws -> Value {
        let bytes = try take(MemoryLayout<Value>.size)
        return Value(bigEndian: bytes.loadUnaligned(as: Value.self))
    }

    /// A string without a copy of its bytes; valid as long as the packet.
    mutating func string() throws -> UnsafeRawBufferPointer { try take(Int(try uint32())) }

    private mutating func take(_ count: Int) throws -> UnsafeRawBufferPointer {
        guard count <= rest.count else { throw SFTPProtocolError.cutOff }
        defer { rest = rest.dropFirst(count) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }
}

/// A violation of the protocol by the server. Nothing that follows on this channel can be trusted.
enum SFTPProtocolError: Error {
    /// A packet that ends before its content.
    case cutOff
    /// A packet that is announced with too many bytes.
    case tooLong(UInt32)
    /// A reply of a type that does not match the request.
    case unexpected(UInt8)
    /// A reply to a request that was not sent, or was answered before.
    case unasked(UInt32)
    /// More bytes than requested, or none at all.
    case wrongCount(Int, asked: Int)
    /// A handle of too many bytes, which would not fit into requests.
    case longHandle(Int)
    /// Another version than 3.
    case version(UInt32)
    /// Text instead of the first packet, as a login script prints it.
    case text(String)

    /// The violation as a Foundation error.
    var error: URLError { FileError.make(code, url: nil, sentence: sentence) }

    private var code: URLError.Code {
        if case .version = self { return .unsupportedURL }
        return .cannotParseResponse
    }

    private var sentence: String {
        switch self {
        case .cutOff: "The server sent an SFTP packet that ends too early."
        case .tooLong(let count):
            "The server announced an SFTP packet of \(count) bytes, which is more than any reply needs."
        case .unexpected(let type):
            "The server sent an SFTP reply of type \(type), which does not match the request."
        case .unasked(let id): "The server sent an SFTP reply with the number \(id), which no request has."
        case .wrongCount(let count, let asked):
            "The server sent \(count) bytes in reply to a request for 1 to \(asked)."
        case .longHandle(let count):
            "The server sent a handle of \(count) bytes; the limit is \(SFTPHandle.maxLength)."
        case .version(let version): "The server uses SFTP version \(version); Carrel needs version 3."
        case .text(let text):
            "The server sent text before SFTP began; perhaps a login script prints it: “\(text)”."
        }
    }
}
