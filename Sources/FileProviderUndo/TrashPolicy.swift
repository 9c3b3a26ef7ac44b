import FileProviderCore
public import Foundation

/// The folder for removed and replaced items, and its limits.
public struct TrashPolicy: Sendable, Hashable, Codable {
    /// The folder, created when first needed. It is an ordinary folder: listings show it, and items removed from it are
    /// gone for good.
    ///
    /// If the provider's root is not the user's own, name a folder that is. Items have to be movable into it from every
    /// folder in which they are removed.
    public var path: String
    /// The most seconds that an item stays in the trash; nil for no limit.
    public var longestAge: TimeInterval?
    /// The most bytes in the trash; beyond it, the oldest items are removed. Nil for no limit.
    ///
    /// With a limit, each folder that goes into the trash is measured: one listing for each folder in it.
    public var greatestSize: Int64?

    /// The defaults: a folder below the root, in which items of any size stay for thirty days.
    public init(path: String = "/.carrel-trash", longestAge: TimeInterval? = 30 * 86_400, greatestSize: Int64? = nil) {
        self.path = path
        self.longestAge = longestAge
        self.greatestSize = greatestSize
    }
}

/// An item in the trash.
public struct TrashEntry: Sendable {
    /// The item at its path in the trash.
    public let item: FileObject
    /// The item's path before it went into the trash.
    public let originalPath: ProviderPath
    /// When it went into the trash.
    public let date: Date
}

/// The name of an entry, which has everything needed to restore it, even after a restart:
/// `<date>_<random>_<original path>`.
///
/// `/` in the path is written `=2F`, and `=` is written `=3D`. A name too long for the storage continues in a folder:
/// `=` at its end is a soft break, as in quoted-printable text (RFC 2045, section 6.7), and the only item in that
/// folder, after an underscore, is the rest.
enum TrashName {
    private static let equals = UInt8(ascii: "=")
    private static let underscore = UInt8(ascii: "_")
    private static let style = Date.ISO8601FormatStyle(
        dateSeparator: .omitted, timeSeparator: .omitted, includingFractionalSeconds: true)

    /// Returns the names, from the trash folder down, for the item at `path`.
    ///
    /// - Parameter longest: Bytes of one name, more than 64.
    static func names(for path: ProviderPath, date: Date, maxLength: Int) -> [[UInt8]] {
        let tag = String(UInt64.random(in: 0..<(1 << 40)), radix: 36)
        var names = [Array("\(date.formatted(style))_\(tag)_".utf8)]
        for byte in path.bytes {
            let count = names[names.count - 1].count
            // Breaks between characters, if there are any: not all storages accept a name that is not UTF-8.
            if count > maxLength - 8, byte & 0xC0 != 0x80 || count == maxLength - 1 {
                names[names.count - 1].append(equals)
                names.append([underscore])
            }
            switch byte {
            case UInt8(ascii: "/"): names[names.count - 1] += Array("=2F".utf8)
            case equals: names[names.count - 1] += Array("=3D".utf8)
            default: names[names.count - 1].append(byte)
            }
        }
        return names
    }

    /// Returns the date in an entry's name; nil for a name that was not made here.
    static func date(of name: ArraySlice<UInt8>) -> Date? {
        let parts = name.split(separator: underscore, maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? try? style.parse(String(decoding: parts[0], as: UTF8.self)) : nil
    }

    /// Whether the name continues in the folder that it names.
    static func isBroken(_ name: ArraySlice<UInt8>) -> Bool { name.last == equals }

    /// Returns the original path that `names` encode; nil if they encode none.
    static func path(in names: [ArraySlice<UInt8>]) -> ProviderPath? {
        var text: [UInt8] = []
        for (index, name) in names.enumerated() {
            let parts = name.split(
                separator: underscore, maxSplits: index == 0 ? 2 : 1, omittingEmptySubsequences: false)
            guard let part = parts.last, parts.count == (index == 0 ? 3 : 2) else { return nil }
            text += isBroken(part) ? part.dropLast() : part
        }
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == equals else {
                bytes.append(byte)
                continue
            }
            switch rest.prefix(2) {
            case ArraySlice("2F".utf8): bytes.append(UInt8(ascii: "/"))
            case ArraySlice("3D".utf8): bytes.append(equals)
            default: return nil
            }
            rest = rest.dropFirst(2)
        }
        return bytes.isEmpty ? nil : try? ProviderPath(bytes: bytes)
    }
}
