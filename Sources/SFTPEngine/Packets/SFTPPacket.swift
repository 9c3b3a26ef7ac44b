import FileProviderCore
import Foundation

/// What kind of packet it is (draft-ietf-secsh-filexfer-02, section 3).
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

/// Puts numbers and strings together as they are on the wire (draft section 4; RFC 4251, section 5).
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

/// Takes numbers and strings from a packet; nothing that the packet says of a length is believed unseen.
struct SFTPDecoder {
    private var rest: UnsafeRawBufferPointer.SubSequence

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    /// Bytes that were not taken yet.
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

    /// A string without copying it; valid as long as the packet.
    mutating func string() throws -> UnsafeRawBufferPointer { try take(Int(try uint32())) }

    private mutating func take(_ count: Int) throws -> UnsafeRawBufferPointer {
        guard count <= rest.count else { throw SFTPProtocolError.cutOff }
        defer { rest = rest.dropFirst(count) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }
}

/// The server does not keep to the protocol: nothing that follows on this channel can be trusted.
enum SFTPProtocolError: Error {
    /// A packet ends before what it says that it holds.
    case cutOff
    /// A packet of so many bytes is announced.
    case tooLong(UInt32)
    /// A reply of a kind that does not belong to the request.
    case unexpected(UInt8)
    /// A reply to a request that was not made, or was answered before.
    case unasked(UInt32)
    /// More bytes than were asked for, or none at all.
    case wrongCount(Int, asked: Int)
    /// A handle of so many bytes, which would not fit into requests.
    case longHandle(Int)
    /// The server speaks no version 3.
    case version(UInt32)
    /// Text where the first packet should be, as a login script prints it.
    case text(String)

    /// In Foundation's words.
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
            "The server gave an SFTP reply of type \(type), which answers nothing that was asked."
        case .unasked(let id): "The server gave an SFTP reply with the number \(id), which no request waits for."
        case .wrongCount(let count, let asked):
            "The server gave \(count) bytes where at most \(asked), and at least one, were asked for."
        case .longHandle(let count):
            "The server gave a handle of \(count) bytes, where \(SFTPHandle.maxLength) are the most."
        case .version(let version): "The server speaks SFTP version \(version), and Carrel needs version 3."
        case .text(let text):
            "The server sent text before SFTP began, as an account does whose login script prints something: “\(text)”."
        }
    }
}
