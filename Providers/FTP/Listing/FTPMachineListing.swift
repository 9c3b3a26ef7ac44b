import FileProviderCore
import Foundation

/// Parses the output of `MLSD`, and the line in the reply to `MLST` (RFC 3659, section 7).
///
/// A line without the space after its facts is unreadable: the text after the last semicolon may or may not be a name,
/// and a guess could name files that do not exist.
struct FTPMachineListing: FTPListing {
    var lines = FTPLines()
    var unreadable = FTPUnreadableLines()
    var unusable = UnusableNames()
    /// The listed folder itself, if the server lists it (`type=cdir`).
    private(set) var folder: FTPEntry?

    mutating func read(_ line: Span<UInt8>) -> FTPLineContent {
        if line.isEmpty { return .noEntry }
        guard case (var entry, let name)? = Self.entry(line, from: 0) else { return .unreadable }
        entry.name = line.bytes(name..<line.count)
        if entry.role == .listedFolder { folder = entry }
        return .entry(entry)
    }

    /// The entry in the middle line of an answer to `MLST`, with the space in front or without it.
    ///
    /// - Parameter name: The requested name. Servers reply with that name, with a full path, or in another case.
    /// - Throws: `URLError(.cannotParseResponse)`.
    static func entry(inAnswer line: [UInt8], name: [UInt8]) throws -> FTPEntry {
        let start = line.first == UInt8(ascii: " ") ? 1 : 0
        guard case (var entry, _)? = Self.entry(line.span, from: start) else {
            var unreadable = FTPUnreadableLines()
            unreadable.add(line.span)
            throw unreadable.error(url: nil) ?? URLError(.cannotParseResponse)
        }
        entry.name = name
        return entry
    }

    /// The entry, still without its name, and where the name begins.
    private static func entry(_ line: Span<UInt8>, from start: Int) -> (FTPEntry, Int)? {
        guard let space = endOfFacts(line, from: start) else { return nil }
        var facts = FTPFacts()
        var position = start
        while position < space {
            let end = line.first(UInt8(ascii: ";"), in: position..<space) ?? space
            guard let equals = line.first(UInt8(ascii: "="), in: position..<end) else { return nil }
            facts.take(line, name: position..<equals, value: equals + 1..<end)
            position = end + 1
        }
        return (facts.entry(), space + 1)
    }

    /// The place of the space between facts and name.
    private static func endOfFacts(_ line: Span<UInt8>, from start: Int) -> Int? {
        // Values may have spaces in them (ProFTPD sends names of groups so), which the standard does not allow: a space
        // ends the facts behind a semicolon.
        var position = start
        while position < line.count {
            if line[position] == UInt8(ascii: " ") { return position }
            guard let end = line.first(UInt8(ascii: ";"), in: position..<line.count),
                line.first(UInt8(ascii: "="), in: position..<end) != nil
            else { break }
            position = end + 1
        }
        // Or the last semicolon was left out.
        return line.first(UInt8(ascii: " "), in: start..<line.count)
    }
}

/// The facts of one line (RFC 3659, section 7.5), their names in any case.
private struct FTPFacts {
    private var type: FileType?
    private var item = FTPEntry(name: [], type: .other)

    mutating func take(_ line: Span<UInt8>, name: Range<Int>, value: Range<Int>) {
        if line.has("type", in: name) {
            takeType(line, value: value)
        } else if line.has("size", in: name) {
            item.size = line.number(value)
        } else if line.has("modify", in: name) {
            item.modified = FTPDate.parse(line, in: value)
        } else if line.has("perm", in: name) {
            item.abilities = line.text(value)
        } else if line.has("unique", in: name) {
            item.identity = value.isEmpty ? nil : line.text(value)
        } else if line.has("unix.mode", in: name) {
            item.permissions = line.permissions(value)
        } else if line.has("create", in: name) {
            item.created = FTPDate.parse(line, in: value)
        } else if line.has("unix.ownername", in: name) {
            item.owner = line.text(value)
        } else if line.has("unix.groupname", in: name) {
            item.group = line.text(value)
        } else if line.has("unix.owner", in: name) || line.has("unix.uid", in: name) {
            item.owner = item.owner ?? line.text(value)
        } else if line.has("unix.group", in: name) || line.has("unix.gid", in: name) {
            item.group = item.group ?? line.text(value)
        }
    }

    private mutating func takeType(_ line: Span<UInt8>, value: Range<Int>) {
        item.role = line.has("cdir", in: value) ? .listedFolder : line.has("pdir", in: value) ? .parent : .item
        if line.has("file", in: value) {
            type = .regular
        } else if line.has("dir", in: value) || item.role != .item {
            type = .directory
        } else if line.begins(with: "os.unix=slink", in: value) || line.begins(with: "os.unix=symlink", in: value)
            || line.has("link", in: value) || line.has("symlink", in: value)
        {
            type = .symbolicLink
            if let colon = line.first(UInt8(ascii: ":"), in: value), colon + 1 < value.upperBound {
                item.linkTarget = line.bytes(colon + 1..<value.upperBound)
            }
        } else {
            type = .other
        }
    }

    func entry() -> FTPEntry {
        var entry = item
        entry.type = type ?? typeByOtherFacts
        if entry.type == .directory { entry.size = nil }
        if entry.modified != nil { entry.timePrecision = 1 }
        return entry
    }

    /// Servers may omit types. Then the user's abilities show them (section 7.5.5): `e` and `l` for folders, `r` for
    /// files.
    private var typeByOtherFacts: FileType {
        guard let abilities = item.abilities?.lowercased() else { return item.size == nil ? .other : .regular }
        if abilities.contains("e") || abilities.contains("l") { return .directory }
        return abilities.contains("r") || item.size != nil ? .regular : .other
    }
}
