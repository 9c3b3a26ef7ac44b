extension SFTPDouble {
    /// What a packet is (draft-ietf-secsh-filexfer-02, section 3).
    public enum Kind: UInt8, Sendable, CaseIterable {
        // Requests.
        case initialize = 1
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
        case extended = 200
        // Replies.
        case version = 2
        case status = 101
        case handle = 102
        case data = 103
        case name = 104
        case attributes = 105
        case extendedReply = 201

        var isReply: Bool { self == .version || rawValue > 100 && self != .extended }
    }

    /// The code of a STATUS (section 7).
    public enum Code: UInt32, Sendable {
        case ok = 0
        case endOfFile = 1
        case noSuchFile = 2
        case permissionDenied = 3
        case failure = 4
        case badMessage = 5
        case noConnection = 6
        case connectionLost = 7
        case unsupported = 8

        /// What OpenSSH says with it.
        public var text: String {
            switch self {
            case .ok: "Success"
            case .endOfFile: "End of file"
            case .noSuchFile: "No such file"
            case .permissionDenied: "Permission denied"
            case .failure: "Failure"
            case .badMessage: "Bad message"
            case .noConnection: "No connection"
            case .connectionLost: "Connection lost"
            case .unsupported: "Operation unsupported"
            }
        }
    }

    /// The bits of OPEN (section 6.3).
    public struct OpenFlags: OptionSet, Sendable, Hashable {
        /// The bits.
        public let rawValue: UInt32
        /// Also of bits without a meaning.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// To read.
        public static let read = OpenFlags(rawValue: 1)
        /// To write.
        public static let write = OpenFlags(rawValue: 2)
        /// Writes go to the end, whatever their offset.
        public static let append = OpenFlags(rawValue: 4)
        /// Made when nothing is there.
        public static let create = OpenFlags(rawValue: 8)
        /// Emptied.
        public static let truncate = OpenFlags(rawValue: 16)
        /// Fails when something is there.
        public static let exclusive = OpenFlags(rawValue: 32)
    }
}

/// Attributes as a client sends them (section 5).
struct SFTPDoubleAttributes: Sendable, Hashable {
    static let known: UInt32 = 0x8000_000F

    var size: UInt64?
    var user: UInt32?
    var group: UInt32?
    var permissions: UInt32?
    var accessed: UInt32?
    var modified: UInt32?
}

/// What a packet's fields hold when they are not what they should be.
struct SFTPDoubleMalformed: Error {
    var sentence: String
}

/// Takes the fields of a packet one after the other (RFC 4251, section 5).
struct SFTPDoubleReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var left: Int { bytes.count - position }

    mutating func byte() throws -> UInt8 { try take(1)[0] }

    mutating func uint32() throws -> UInt32 { try take(4).reduce(0) { $0 << 8 | UInt32($1) } }

    mutating func uint64() throws -> UInt64 { try take(8).reduce(0) { $0 << 8 | UInt64($1) } }

    mutating func string() throws -> [UInt8] { try take(Int(uint32())) }

    mutating func path() throws -> [UInt8] {
        let path = try string()
        guard !path.contains(0) else { throw SFTPDoubleMalformed(sentence: "A path holds a NUL.") }
        return path
    }

    mutating func attributes() throws -> SFTPDoubleAttributes {
        let flags = try uint32()
        guard flags & ~SFTPDoubleAttributes.known == 0 else {
            throw SFTPDoubleMalformed(sentence: "Attributes have the flags 0x\(String(flags, radix: 16)).")
        }
        var attributes = SFTPDoubleAttributes()
        if flags & 1 != 0 { attributes.size = try uint64() }
        if flags & 2 != 0 {
            attributes.user = try uint32()
            attributes.group = try uint32()
        }
        if flags & 4 != 0 { attributes.permissions = try uint32() }
        if flags & 8 != 0 {
            attributes.accessed = try uint32()
            attributes.modified = try uint32()
        }
        if flags & 0x8000_0000 != 0 {
            for _ in 0..<(try uint32()) {
                _ = try string()
                _ = try string()
            }
        }
        return attributes
    }

    /// Passes over what is left.
    mutating func skip() { position = bytes.count }

    func end() throws {
        guard left == 0 else { throw SFTPDoubleMalformed(sentence: "\(left) bytes follow the last field.") }
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        guard count <= left else {
            throw SFTPDoubleMalformed(sentence: "A field of \(count) bytes where \(left) are left.")
        }
        defer { position += count }
        return Array(bytes[position..<(position + count)])
    }
}

extension [UInt8] {
    mutating func putSFTP(_ number: UInt32) {
        for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }

    mutating func putSFTP(_ number: UInt64) {
        putSFTP(UInt32(truncatingIfNeeded: number >> 32))
        putSFTP(UInt32(truncatingIfNeeded: number))
    }

    mutating func putSFTP(_ string: some Collection<UInt8>) {
        putSFTP(UInt32(truncatingIfNeeded: string.count))
        self += string
    }
}
