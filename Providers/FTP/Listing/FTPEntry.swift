import FileProviderCore
import Foundation

/// One item of a folder, as a server's listing tells it; what it does not tell is nil.
struct FTPEntry: Sendable, Hashable {
    /// The server's bytes. From a listing: one name without slash, NUL, CR and LF, and never `.` or `..`.
    var name: [UInt8]
    var type: FileType
    /// Bytes; nil for folders, and where the server counts in blocks or records.
    var size: Int64?
    var modified: Date?
    /// The step of ``modified`` in seconds: 1, 60 where the clock has no seconds, 86,400 where there is a day only.
    var timePrecision: Double?
    var created: Date?
    /// POSIX permission bits, `0o7777` at most.
    var permissions: UInt16?
    /// What a symbolic link points at, as the server wrote it.
    var linkTarget: [UInt8]?
    /// The same for two names of one file (fact `unique`, RFC 3659, section 7.5.2; EPLF's `i`).
    var identity: String?
    var owner: String?
    var group: String?
    /// What the user may do with it, a letter for each (fact `perm`, RFC 3659, section 7.5.5).
    var abilities: String?
    var role = Role.item

    /// Which folder's line this is; `cdir` and `pdir` are left out of listings.
    enum Role: Sendable, Hashable {
        case item, listedFolder, parent
    }

    init(name: [UInt8], type: FileType) {
        self.name = name
        self.type = type
    }

    /// Whether a name can be that of an item in a folder.
    static func isName(_ name: [UInt8]) -> Bool {
        guard !name.isEmpty, !isDots(name) else { return false }
        return !name.contains {
            $0 == UInt8(ascii: "/") || $0 == 0 || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n")
        }
    }

    /// What a line has for a name.
    enum NameKind {
        case usable, dots, unusable
        /// The line ends before it.
        case cutOff
    }

    static func kind(ofName name: [UInt8], _ line: Span<UInt8>) -> NameKind {
        if isDots(name) { return .dots }
        if name.isEmpty, line.isEmpty || !line[line.count - 1].isSpace { return .cutOff }
        return isName(name) ? .usable : .unusable
    }

    /// Whether a name is `.` or `..`.
    static func isDots(_ name: [UInt8]) -> Bool {
        let dot = UInt8(ascii: ".")
        return name.first == dot && (name.count == 1 || (name.count == 2 && name[1] == dot))
    }
}
