/// Requests that are not in version 3, by the names under which servers announce them (OpenSSH's PROTOCOL file, section
/// 4; draft-ietf-secsh-filexfer-extensions-00 for `copy-data` and `home-directory`).
package enum SFTPExtension: String, Sendable, CaseIterable {
    case posixRename = "posix-rename@openssh.com"
    case statvfs = "statvfs@openssh.com"
    case hardlink = "hardlink@openssh.com"
    case fsync = "fsync@openssh.com"
    case lsetstat = "lsetstat@openssh.com"
    case limits = "limits@openssh.com"
    case expandPath = "expand-path@openssh.com"
    case copyData = "copy-data"
    case homeDirectory = "home-directory"
    case usersGroups = "users-groups-by-id@openssh.com"
}

/// The limits of a server, in bytes (`limits@openssh.com`).
package struct SFTPLimits: Sendable, Hashable {
    /// The data of one `READ`: 4 to 255 KiB.
    package var read: Int
    /// The data of one `WRITE`: 4 to 255 KiB.
    package var write: Int
    /// The number of files and folders open at once; nil if the server does not report it.
    package var handles: Int?

    /// The limits that every server supports (draft section 3).
    static let usual = SFTPLimits(read: 32 << 10, write: 32 << 10, handles: nil)
    /// Larger packets are not faster.
    static let maxLength = 255 << 10

    init(read: Int, write: Int, handles: Int?) {
        self.read = read
        self.write = write
        self.handles = handles
    }

    init(reply: [UInt8]) throws {
        self = try reply.withUnsafeBytes { bytes in
            var decoder = SFTPDecoder(bytes)
            // 0 means no limit; less than every server supports is an error.
            func sensible(_ value: UInt64, maxLength: Int) -> Int {
                value == 0 ? maxLength : min(maxLength, max(4096, Int(clamping: value)))
            }
            // The packet's head, including the handle, takes part of it.
            let packet = try decoder.uint64()
            let maxLength = sensible(packet > 1024 ? packet - 1024 : packet, maxLength: Self.maxLength)
            let (read, write, handles) = (try decoder.uint64(), try decoder.uint64(), try decoder.uint64())
            return SFTPLimits(
                read: sensible(read, maxLength: maxLength), write: sensible(write, maxLength: maxLength),
                handles: handles == 0 ? nil : Int(clamping: handles))
        }
    }
}

/// The file system of a path, as in statvfs(3).
package struct SFTPVolume: Sendable, Hashable {
    /// Total bytes, free bytes, and bytes free for this user.
    package let capacity, free, available: UInt64
    /// Whether the file system is read-only (`ST_RDONLY`).
    package let isReadOnly: Bool
    /// Bytes of one name.
    package let maxNameLength: UInt64

    /// - Parameter reply: The content of ``SFTPReply/extended(_:)``.
    /// - Throws: An error if it has fewer than eleven numbers.
    package init(reply: [UInt8]) throws {
        self = try reply.withUnsafeBytes { bytes in
            var decoder = SFTPDecoder(bytes)
            let fields = try (0..<11).map { _ in try decoder.uint64() }
            // Blocks are counted in fragments.
            func size(of blocks: UInt64) -> UInt64 {
                let (product, isTooMuch) = blocks.multipliedReportingOverflow(by: fields[1])
                return isTooMuch ? .max : product
            }
            return SFTPVolume(
                capacity: size(of: fields[2]), free: size(of: fields[3]), available: size(of: fields[4]),
                isReadOnly: fields[9] & 1 != 0,
                maxNameLength: fields[10])
        }
    }

    private init(capacity: UInt64, free: UInt64, available: UInt64, isReadOnly: Bool, maxNameLength: UInt64) {
        self.capacity = capacity
        self.free = free
        self.available = available
        self.isReadOnly = isReadOnly
        self.maxNameLength = maxNameLength
    }
}

/// The names of users and groups, in the order of the request; empty for a number without a name.
package struct SFTPOwners: Sendable, Hashable {
    /// One for each number.
    package let users, groups: [String]

    /// - Parameter reply: The content of ``SFTPReply/extended(_:)``.
    /// - Throws: An error if its lists end too early.
    package init(reply: [UInt8]) throws {
        func names(_ list: UnsafeRawBufferPointer) throws -> [String] {
            var decoder = SFTPDecoder(list)
            var names: [String] = []
            while decoder.count > 0 { names.append(String(decoding: try decoder.string(), as: UTF8.self)) }
            return names
        }
        (users, groups) = try reply.withUnsafeBytes { bytes in
            var decoder = SFTPDecoder(bytes)
            return (try names(decoder.string()), try names(decoder.string()))
        }
    }
}
