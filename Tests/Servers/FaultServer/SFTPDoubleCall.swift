/// A request with all of its fields.
struct SFTPDoubleCall {
    var request: SFTPDouble.Request
    var attributes = SFTPDoubleAttributes()
    /// What WRITE brings.
    var data: [UInt8] = []
    /// Where `copy-data` writes: handle and offset.
    var target: (handle: [UInt8], offset: UInt64) = ([], 0)
    /// How much `copy-data` copies; 0 for all.
    var count: UInt64 = 0
    /// For `users-groups-by-id@openssh.com`: two lists of numbers.
    var numbers: (users: [UInt32], groups: [UInt32]) = ([], [])
    /// What the draft forbids though it can be understood.
    var complaints: [String] = []
    var faults: [SFTPDouble.Fault] = []

    /// Takes a packet apart, from its type on.
    ///
    /// - Throws: `SFTPDoubleMalformed`.
    init(_ kind: SFTPDouble.Kind, packet: [UInt8]) throws {
        request = SFTPDouble.Request(kind: kind)
        var reader = SFTPDoubleReader(packet)
        _ = try reader.byte()
        if kind == .initialize {
            let version = try reader.uint32()
            if version != 3 { complaints.append("INIT says version \(version).") }
        } else {
            request.id = try reader.uint32()
            try take(kind, &reader)
        }
        try reader.end()
        request.path = String(decoding: request.bytes, as: UTF8.self)
    }

    private mutating func take(_ kind: SFTPDouble.Kind, _ reader: inout SFTPDoubleReader) throws {
        switch kind {
        case .open:
            request.bytes = try reader.path()
            request.flags = SFTPDouble.OpenFlags(rawValue: try reader.uint32())
            attributes = try reader.attributes()
            checkFlags()
        case .close, .fstat, .readdir: request.handle = try reader.string()
        case .read:
            request.handle = try reader.string()
            request.offset = try reader.uint64()
            request.length = Int(try reader.uint32())
            if request.length == 0 { complaints.append("READ asks for nothing.") }
        case .write:
            request.handle = try reader.string()
            request.offset = try reader.uint64()
            data = try reader.string()
            request.length = data.count
        case .setstat, .mkdir:
            request.bytes = try reader.path()
            attributes = try reader.attributes()
        case .fsetstat:
            request.handle = try reader.string()
            attributes = try reader.attributes()
        case .rename, .symlink:
            request.bytes = try reader.path()
            request.other = try reader.path()
        case .extended:
            request.name = String(decoding: try reader.string(), as: UTF8.self)
            try takeExtended(&reader)
        default: request.bytes = try reader.path()
        }
        if request.bytes.isEmpty,
            ![.close, .fstat, .readdir, .read, .write, .fsetstat, .extended, .realpath].contains(kind)
        {
            complaints.append("An empty path.")
        }
    }

    private mutating func checkFlags() {
        let flags = request.flags
        if flags.rawValue & ~63 != 0 { complaints.append("OPEN has the flags \(flags.rawValue).") }
        if flags.isDisjoint(with: [.read, .write]) { complaints.append("OPEN neither to read nor to write.") }
        if !flags.isDisjoint(with: [.truncate, .exclusive]), !flags.contains(.create) {
            complaints.append("OPEN truncates or excludes and doesn't create.")
        }
    }

    /// Source: `PROTOCOL` of OpenSSH, sections 4.3 to 4.12.
    private mutating func takeExtended(_ reader: inout SFTPDoubleReader) throws {
        switch request.name {
        case "posix-rename@openssh.com", "hardlink@openssh.com":
            request.bytes = try reader.path()
            request.other = try reader.path()
        case "statvfs@openssh.com", "expand-path@openssh.com", "home-directory": request.bytes = try reader.path()
        case "fstatvfs@openssh.com", "fsync@openssh.com": request.handle = try reader.string()
        case "lsetstat@openssh.com":
            request.bytes = try reader.path()
            attributes = try reader.attributes()
        case "copy-data":
            request.handle = try reader.string()
            request.offset = try reader.uint64()
            count = try reader.uint64()
            target = (try reader.string(), try reader.uint64())
        case "users-groups-by-id@openssh.com":
            numbers.users = try Self.numbers(try reader.string())
            numbers.groups = try Self.numbers(try reader.string())
        case "limits@openssh.com": break
        default: reader.skip()
        }
    }

    private static func numbers(_ bytes: [UInt8]) throws -> [UInt32] {
        var reader = SFTPDoubleReader(bytes)
        var numbers: [UInt32] = []
        while reader.left > 0 { numbers.append(try reader.uint32()) }
        return numbers
    }
}
