import FileProviderCore
public import Foundation

/// Where removed and replaced data goes, and how long it stays there.
public struct TrashPolicy: Sendable, Hashable, Codable {
    /// The folder, made when it is first needed. It is an ordinary folder: listings show it, and removing what lies in
    /// it is final.
    ///
    /// On a provider whose root is not the user's own, name one that is. Moving into it must be possible from wherever
    /// items are removed.
    public var path: String
    /// Seconds; what has been in the trash for longer is swept. Nil for no limit.
    public var longestAge: TimeInterval?
    /// Bytes of all that is in the trash; the oldest is swept when there is more. Nil for no limit.
    ///
    /// With a limit each folder that goes in is measured: one listing for each folder in it.
    public var greatestSize: Int64?

    /// The defaults: a folder below the root, where everything stays for thirty days, however much it is.
    public init(path: String = "/.carrel-trash", longestAge: TimeInterval? = 30 * 86_400, greatestSize: Int64? = nil) {
        self.path = path
        self.longestAge = longestAge
        self.greatestSize = greatestSize
    }
}

/// Something in the trash.
public struct TrashEntry: Sendable {
    /// The item as it lies in the trash.
    public let item: FileObject
    /// Where it was.
    public let originalPath: ProviderPath
    /// When it went into the trash.
    public let date: Date
}

/// The name of an entry, which tells all that is needed to put it back, after a restart too:
/// `<date>_<random>_<original path>`.
///
/// In the path `/` is written `=2F` and `=` is written `=3D`. A name too long for the storage goes on in a folder: `=`
/// at its end is a soft break, as in quoted-printable text (RFC 2045, section 6.7), and the one item in that folder,
/// after an underscore, is the rest.
enum TrashName {
    private static let equals = UInt8(ascii: "=")
    private static let underscore = UInt8(ascii: "_")
    private static let style = Date.ISO8601FormatStyle(
        dateSeparator: .omitted, timeSeparator: .omitted, includingFractionalSeconds: true)

    /// The names, from the trash folder down, for what lay at `path`.
    ///
    /// - Parameter longest: Bytes of one name, more than 64.
    static func names(for path: ProviderPath, date: Date, maxLength: Int) -> [[UInt8]] {
        let tag = String(UInt64.random(in: 0..<(1 << 40)), radix: 36)
        var names = [Array("\(date.formatted(style))_\(tag)_".utf8)]
        for byte in path.bytes {
            let count = names[names.count - 1].count
            // A break goes between characters, as long as they are any: a name that is not UTF-8 is one that not all
            // storages take.
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

    /// The date in an entry's name; nil for a name that was not made here.
    static func date(of name: ArraySlice<UInt8>) -> Date? {
        let parts = name.split(separator: underscore, maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? try? style.parse(String(decoding: parts[0], as: UTF8.self)) : nil
    }

    /// Whether the name goes on in the folder that it names.
    static func isBroken(_ name: ArraySlice<UInt8>) -> Bool { name.last == equals }

    /// The original path that `names` tell; nil when they tell none.
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
