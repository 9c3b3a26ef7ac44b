import Foundation

/// The path of an item below a provider's root: names, kept as the bytes that the storage uses.
///
/// Paths compare bytewise, so names in NFC and NFD and names that are not UTF-8 stay apart. A path is checked once,
/// when it is created: it holds no NUL, no empty name, no `.` and no `..`. A provider whose protocol reads further
/// bytes as a command (FTP: CR and LF) refuses those itself.
///
/// `String` forms use one reversible escape: a byte that is not part of valid UTF-8 is written as the private-use
/// character U+10FF00 + byte. All other text stands for itself, the percent sign included.
public struct ProviderPath: Hashable, Sendable {
    /// The names joined by `/`, without one in front; empty for the root.
    public let bytes: [UInt8]

    /// The deepest folder that a walk or a copy enters, counted from its start: a server may invent folders without
    /// end.
    public static let maxTreeDepth = 256

    /// The provider's root.
    public static let root = ProviderPath(unchecked: [])

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads a path such as `/books/a.epub`; the slashes in front and at the end are optional.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for NUL, an empty name, `.` or `..`.
    public init(_ string: String) throws {
        try self.init(bytes: NameEscape.bytes(of: string))
    }

    /// Reads a path from the storage's own bytes, with names separated by `/`.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for NUL, an empty name, `.` or `..`.
    public init(bytes: some Sequence<UInt8>) throws {
        var joined = Array(bytes)
        if joined.first == UInt8(ascii: "/") { joined.removeFirst() }
        if joined.last == UInt8(ascii: "/") { joined.removeLast() }
        if !joined.isEmpty {
            for name in joined.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
                try Self.check(name, in: joined)
            }
        }
        self.bytes = joined
    }

    private static func check(_ name: ArraySlice<UInt8>, in whole: @autoclosure () -> [UInt8]) throws {
        let dot = UInt8(ascii: ".")
        let isLegal =
            !name.isEmpty && !name.contains(0)
            && !(name.first == dot && (name.count == 1 || (name.count == 2 && name.last == dot)))
        guard isLegal else {
            let shown = NameEscape.string(of: whole()[...])
            throw FileError.make(
                .fileReadInvalidFileName, path: shown,
                sentence:
                    "The path “\(shown)” has an empty name, “.”, “..” or a NUL in it, which a provider's path cannot hold."
            )
        }
    }

    /// Returns the path of the item called `name` in this folder.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` if `name` is empty, `.`, `..`, or has a slash or NUL in it.
    public func appending(_ name: String) throws -> ProviderPath {
        try appending(nameBytes: NameEscape.bytes(of: name))
    }

    /// Returns the path of the item whose name in the storage is `nameBytes`.
    ///
    /// - Throws: As ``appending(_:)-(String)``.
    public func appending(nameBytes: some Collection<UInt8>) throws -> ProviderPath {
        // Built in place: listings make one for each item.
        var joined: [UInt8] = []
        joined.reserveCapacity(bytes.count + 1 + nameBytes.count)
        if !isRoot {
            joined += bytes
            joined.append(UInt8(ascii: "/"))
        }
        let start = joined.count
        joined += nameBytes
        if joined[start...].contains(UInt8(ascii: "/")) { try Self.check([], in: Array(nameBytes)) }
        try Self.check(joined[start...], in: Array(nameBytes))
        return ProviderPath(unchecked: joined)
    }

    /// Returns the path `other`, counted from this folder.
    public func appending(_ other: ProviderPath) -> ProviderPath {
        if other.isRoot { return self }
        return isRoot ? other : ProviderPath(unchecked: bytes + [UInt8(ascii: "/")] + other.bytes)
    }

    /// Whether this is the provider's root.
    public var isRoot: Bool { bytes.isEmpty }

    /// The names from the root down.
    public var components: [ArraySlice<UInt8>] { bytes.split(separator: UInt8(ascii: "/")) }

    /// The last name's bytes; empty for the root.
    public var nameBytes: ArraySlice<UInt8> {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return bytes[...] }
        return bytes[(slash + 1)...]
    }

    /// The last name; bytes that are not UTF-8 are escaped. Empty for the root.
    public var name: String { NameEscape.string(of: nameBytes) }

    /// The part of the name after its last dot, in lower case; nil if there is no dot, or only the first character is
    /// one.
    public var fileExtension: String? {
        let name = name
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name.index(after: dot) != name.endIndex else {
            return nil
        }
        return name[name.index(after: dot)...].lowercased()
    }

    /// The folder of this item; nil for the root.
    public var parent: ProviderPath? {
        if isRoot { return nil }
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return .root }
        return ProviderPath(unchecked: Array(bytes[..<slash]))
    }

    /// `/` and the names; bytes that are not UTF-8 are escaped.
    public var string: String { "/" + NameEscape.string(of: bytes[...]) }

    /// Whether this item is directly in `folder`.
    package func isRight(in folder: ProviderPath) -> Bool {
        isBelow(folder) && !bytes[(folder.isRoot ? 0 : folder.bytes.count + 1)...].contains(UInt8(ascii: "/"))
    }

    /// Whether this item is anywhere below `folder`; an item is not below itself.
    public func isBelow(_ folder: ProviderPath) -> Bool {
        if folder.isRoot { return !isRoot }
        return bytes.count > folder.bytes.count && bytes[folder.bytes.count] == UInt8(ascii: "/")
            && bytes.starts(with: folder.bytes)
    }

    /// Returns this path counted from `folder`; nil if it is neither `folder` nor below it.
    public func relative(to folder: ProviderPath) -> ProviderPath? {
        if self == folder { return .root }
        guard isBelow(folder) else { return nil }
        return ProviderPath(unchecked: folder.isRoot ? bytes : Array(bytes[(folder.bytes.count + 1)...]))
    }
}

extension ProviderPath: Comparable, CustomStringConvertible {
    /// Bytewise order, so that a folder comes before the items in it.
    public static func < (one: ProviderPath, other: ProviderPath) -> Bool {
        one.bytes.withUnsafeBytes { one in
            other.bytes.withUnsafeBytes { other in
                guard let first = one.baseAddress, let second = other.baseAddress else {
                    return one.count < other.count
                }
                let order = memcmp(first, second, min(one.count, other.count))
                return order == 0 ? one.count < other.count : order < 0
            }
        }
    }

    /// As ``string``.
    public var description: String { string }
}

/// The reversible escape of ``ProviderPath``: U+10FF80…U+10FFFF stand for the bytes 0x80…0xFF.
enum NameEscape {
    private static let escaped: ClosedRange<UInt32> = 0x10FF80...0x10FFFF

    static func string(of bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self),
            // In UTF-8 they all begin with this byte, which hardly any name has.
            !(bytes.contains(0xF4) && text.unicodeScalars.contains(where: { escaped.contains($0.value) }))
        {
            return text
        }
        var result = String.UnicodeScalarView()
        var rest = bytes
        while let first = rest.first {
            if let (scalar, length) = leadingScalar(rest), !escaped.contains(scalar.value) {
                result.append(scalar)
                rest = rest.dropFirst(length)
            } else {
                // An ASCII byte is always a valid scalar, so `first` is 0x80 or more here, and its escape a valid
                // scalar.
                result.append(Unicode.Scalar(0x10FF00 + UInt32(first)) ?? "\u{FFFD}")
                rest = rest.dropFirst()
            }
        }
        return String(result)
    }

    static func bytes(of string: String) -> [UInt8] {
        guard string.unicodeScalars.contains(where: { escaped.contains($0.value) }) else { return Array(string.utf8) }
        return string.unicodeScalars.flatMap { scalar in
            escaped.contains(scalar.value) ? [UInt8(scalar.value - 0x10FF00)] : Array(String(scalar).utf8)
        }
    }

    private static func leadingScalar(_ bytes: ArraySlice<UInt8>) -> (Unicode.Scalar, Int)? {
        for length in 1...min(4, bytes.count) {
            if let text = String(validating: bytes.prefix(length), as: UTF8.self),
                let scalar = text.unicodeScalars.first
            {
                return (scalar, length)
            }
        }
        return nil
    }
}
