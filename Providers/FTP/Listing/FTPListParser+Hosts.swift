import FileProviderCore
import Foundation

/// The forms of mainframes and others that a few servers keep alive.
extension FTPListParser {
    /// `+i8388621.29609,m824255902,/,<TAB>name`: EPLF, by D. J. Bernstein.
    func eplfEntry(_ line: Span<UInt8>) -> FTPEntry? {
        guard line.has("+", in: 0..<1), let tab = line.first(UInt8(ascii: "\t"), in: 1..<line.count) else { return nil }
        var entry = FTPEntry(name: line.bytes(tab + 1..<line.count), type: .other)
        var position = 1
        while position < tab {
            let end = line.first(UInt8(ascii: ","), in: position..<tab) ?? tab
            let value = min(position + 1, end)..<end
            switch line[position] {
            case UInt8(ascii: "/"): entry.type = .directory
            case UInt8(ascii: "r"): if entry.type != .directory { entry.type = .regular }
            case UInt8(ascii: "s"): entry.size = line.number(value)
            case UInt8(ascii: "m"):
                guard let seconds = line.number(value), seconds < 253_402_300_800 else { break }
                entry.setMoment((Date(timeIntervalSince1970: Double(seconds)), 1))
            case UInt8(ascii: "i"): entry.identity = line.text(value)
            case UInt8(ascii: "u") where line.has("p", in: value.prefix(1)):
                entry.permissions = line.permissions(value.dropFirst())
            default: break
            }
            position = end + 1
        }
        if entry.type == .directory { entry.size = nil }
        return entry
    }

    /// `NAME.EXT;1    2   8-SEP-1996 16:09 [OWNER] (RWED,RWED,RE,)`; sizes are in blocks. Folders are the files
    /// `NAME.DIR;1`.
    func vmsEntry(_ line: Span<UInt8>, columns: FTPColumns) -> FTPEntry? {
        guard columns.count > 1, let semicolon = VMSNames.version(line, columns[0]) else { return nil }
        let name = columns[0].lowerBound..<semicolon
        let isFolder = name.count > 4 && line.has(".dir", in: name.suffix(4))
        var entry = FTPEntry(
            name: line.bytes(isFolder ? name.dropLast(4) : name), type: isFolder ? .directory : .regular)
        // If the user may not look at the file, the line has an error instead of the columns:
        // `%RMS-E-PRV, insufficient privilege …`.
        if line.has("%", in: columns[1].prefix(1)) { return entry }
        guard
            let index = (1..<min(5, columns.count)).first(where: {
                FTPListDate.namedDay(line, range: columns[$0]) != nil
            }),
            let (year, month, day) = FTPListDate.namedDay(line, range: columns[index])
        else { return nil }
        let clock = index + 1 < columns.count ? FTPListDate.clock(line, columns[index + 1]) : nil
        entry.setMoment(dates.moment(year: year, month: month, day: day, clock: clock))
        let owner = clock == nil ? index + 1 : index + 2
        if owner < columns.count, line.has("[", in: columns[owner].prefix(1)),
            line.has("]", in: columns[owner].suffix(1))
        {
            entry.owner = line.text(columns[owner].dropFirst().dropLast())
        }
        return entry
    }

    /// `WYOSPT 3420   2003/05/21  1  200  FB      80  8053  PS  A.DATA.SET`. The date is that of the last use, the size
    /// in tracks.
    func datasetEntry(_ line: Span<UInt8>, columns: FTPColumns) -> FTPEntry? {
        let last = columns.count - 1
        guard last > 0 else { return nil }
        let name = line.bytes(columns[last])
        let isAway =
            line.has("migrated", in: columns[0])
            || line.begins(with: "arc", in: columns[0]) && line.has("not", in: columns[1])
        if isAway { return FTPEntry(name: name, type: .regular) }
        if line.has("pseudo", in: columns[0]), line.has("directory", in: columns[1]), last == 2 {
            return FTPEntry(name: name, type: .directory)
        }
        guard last > 2 else { return nil }
        let organization = columns[last - 1]
        if line.has("po", in: organization) || line.has("po-e", in: organization) {
            return FTPEntry(name: name, type: .directory)
        }
        for kind: StaticString in ["ps", "ps-e", "psu", "vs", "vsam", "da", "is"] where line.has(kind, in: organization)
        {
            return FTPEntry(name: name, type: .regular)
        }
        return ["gdg", "hfs", "zfs", "path"].contains { line.has($0, in: organization) }
            ? FTPEntry(name: name, type: .other) : nil
    }

    /// `MEMBER   01.01 2002/09/12 2002/10/11 09:37    11    11     0 USER`, or the name alone; sizes are in records.
    func memberEntry(_ line: Span<UInt8>, columns: FTPColumns) -> FTPEntry? {
        var entry = FTPEntry(name: line.bytes(columns[0]), type: .regular)
        if columns.count == 1 { return entry }
        guard columns.count > 4, let (year, month, day) = FTPListDate.day(line, columns[3]),
            let clock = FTPListDate.clock(line, columns[4])
        else { return nil }
        entry.setMoment(dates.moment(year: year, month: month, day: day, clock: clock))
        if let (year, month, day) = FTPListDate.day(line, columns[2]) {
            entry.created = dates.moment(year: year, month: month, day: day, clock: nil).date
        }
        if columns.count == 9 { entry.owner = line.text(columns[8]) }
        return entry
    }

    /// `MODULE    0000A8   000016   00 FO  31  ANY`: programs, their sizes in hexadecimal without what the file has
    /// besides.
    func moduleEntry(_ line: Span<UInt8>, columns: FTPColumns) -> FTPEntry? {
        guard columns.count > 2, columns[1].count == 6, Int(line.text(columns[1]), radix: 16) != nil else { return nil }
        return FTPEntry(name: line.bytes(columns[0]), type: .regular)
    }

    /// `DATA     O    101      2048  18-Nov-94 19:48:12 255, 16 "nunu"`
    func tandemEntry(_ line: Span<UInt8>, columns: FTPColumns) -> FTPEntry? {
        guard let index = (2..<max(3, min(5, columns.count - 1))).first(where: { line.isNamedDay(columns, index: $0) }),
            let (year, month, day) = FTPListDate.namedDay(line, range: columns[index]),
            let clock = FTPListDate.clock(line, columns[index + 1]), line.isNumber(columns[index - 1])
        else { return nil }
        var entry = FTPEntry(name: line.bytes(columns[0]), type: .regular)
        entry.size = line.number(columns[index - 1])
        entry.setMoment(dates.moment(year: year, month: month, day: day, clock: clock))
        return entry
    }
}

extension FTPListParser.Dialect {
    /// The form that a line of headings is for; nil for any other line.
    init?(heading line: Span<UInt8>, _ columns: FTPColumns) {
        guard columns.count > 3 else { return nil }
        func begins(_ words: StaticString...) -> Bool {
            words.indices.allSatisfy { line.has(words[$0], in: columns[$0]) }
        }
        if begins("volume", "unit", "referred") {
            self = .mvsDatasets
        } else if begins("name", "vv.mm", "created") {
            self = .mvsMembers
        } else if begins("name", "size", "ttr") {
            self = .mvsModules
        } else if begins("file", "code", "eof") {
            self = .tandem
        } else {
            return nil
        }
    }
}

/// Handles names as VMS lists them: long names are on a separate line, and every version of a file is listed.
struct VMSNames: Sendable {
    private var kept: [UInt8] = []
    private var last: [UInt8]?

    enum JoinedLine {
        /// The line is a name; its columns come with the next.
        case kept
        /// The name that was kept, and this line.
        case joined([UInt8])
        case alone
    }

    /// The place of the semicolon in front of a version's number.
    static func version(_ line: Span<UInt8>, _ column: Range<Int>) -> Int? {
        guard let semicolon = line.first(UInt8(ascii: ";"), in: column), semicolon > column.lowerBound else {
            return nil
        }
        return line.isNumber(semicolon + 1..<column.upperBound) ? semicolon : nil
    }

    mutating func join(_ line: Span<UInt8>, _ columns: FTPColumns, unreadable: inout FTPUnreadableLines) -> JoinedLine {
        if !kept.isEmpty, line[0].isSpace {
            defer { kept = [] }
            return .joined(kept + line.bytes(0..<line.count))
        }
        end(unreadable: &unreadable)
        guard columns.count == 1, Self.version(line, columns[0]) != nil else { return .alone }
        kept = line.bytes(columns[0])
        return .kept
    }

    /// Counts a name whose columns did not come.
    mutating func end(unreadable: inout FTPUnreadableLines) {
        if !kept.isEmpty { unreadable.add(kept.span) }
        kept = []
    }

    /// Whether the entry before had the same name: the newest version comes first, and the name alone means that one.
    mutating func isOlderVersion(_ entry: FTPEntry) -> Bool {
        defer { last = entry.type == .regular ? entry.name : nil }
        return entry.type == .regular && entry.name == last
    }
}

extension Span where Element == UInt8 {
    fileprivate func isNamedDay(_ columns: FTPColumns, index: Int) -> Bool {
        index < columns.count - 1 && FTPListDate.namedDay(self, range: columns[index]) != nil
    }
}
