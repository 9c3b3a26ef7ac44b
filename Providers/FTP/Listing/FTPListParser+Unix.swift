import FileProviderCore
import Foundation

/// `ls -l` and those who write like it, among them most servers that run on Windows.
extension FTPListParser {
    /// `-rw-r--r--   1 owner group   1234 Jan  5 12:30 name`, with more columns or fewer between letters and size.
    func unixEntry(_ line: Span<UInt8>, columns: FTPColumns) -> FTPEntry? {
        // `ls -i` and `ls -s` put the inode and the blocks in front.
        var mode = 0
        while mode < min(2, columns.count - 1), line.isNumber(columns[mode]) { mode += 1 }
        guard let type = Self.type(line, columns[mode]), let stamp = stamp(line, columns, from: mode + 1) else {
            return nil
        }
        var entry = FTPEntry(name: [], type: type)
        entry.permissions = Self.permissions(line, columns[mode].lowerBound + 1)
        let isDevice = [UInt8(ascii: "b"), UInt8(ascii: "c")].contains(line[columns[mode].lowerBound].lowercased)
        // In the place of a size devices have two numbers, `1, 3`.
        fill(&entry, line, columns, stamp, hasSize: type != .directory && !isDevice)
        // If owners' names contain spaces, the columns are ambiguous.
        if stamp.size - mode == 4, line.isNumber(columns[mode + 1]) {
            entry.owner = line.text(columns[mode + 2])
            entry.group = line.text(columns[mode + 3])
        } else if stamp.size - mode == 3, line.isNumber(columns[mode + 1]), !line.isNumber(columns[mode + 2]) {
            entry.owner = line.text(columns[mode + 2])
        }
        return entry
    }

    /// `d [RWCEAFMS] owner   512 Jan 16 18:53 name`
    func netwareEntry(_ line: Span<UInt8>, columns: FTPColumns) -> FTPEntry? {
        let first = columns[0]
        // Some leave the space behind the first letter out.
        let rights = first.count > 1 ? first.lowerBound + 1..<first.upperBound : columns.count > 1 ? columns[1] : first
        guard line.has("d", in: first.prefix(1)) || line.has("-", in: first.prefix(1)), rights.count > 1,
            line.has("[", in: rights.prefix(1)), line.has("]", in: rights.suffix(1)),
            var stamp = stamp(line, columns, from: first.count > 1 ? 1 : 2)
        else { return nil }
        var entry = FTPEntry(name: [], type: line.has("d", in: first.prefix(1)) ? .directory : .regular)
        // NetWare aligns names in a column.
        stamp.name = line.skippingSpaces(from: min(stamp.name, line.count))
        fill(&entry, line, columns, stamp, hasSize: entry.type == .regular)
        let owner = first.count > 1 ? 1 : 2
        if stamp.size == owner + 1 { entry.owner = line.text(columns[owner]) }
        return entry
    }

    /// The size's column, the date, and where the name begins.
    private struct Stamp {
        var size: Int
        var moment: FTPListDate.Moment
        var name: Int
    }

    /// The first columns from `start` on that are a size and a date; a name further right may look like one as well.
    private func stamp(_ line: Span<UInt8>, _ columns: FTPColumns, from start: Int) -> Stamp? {
        for index in stride(from: start + 1, to: columns.count - 1, by: 1) {
            let column = columns[index]
            if let month = FTPMonth.number(line, column) {
                if line.isSize(columns[index - 1]), index + 2 < columns.count,
                    let day = FTPMonth.day(line, columns[index + 1]),
                    let (moment, last) = moment(line, columns, index + 2, month: month, day: day)
                {
                    return Stamp(size: index - 1, moment: moment, name: columns[last].upperBound + 1)
                }
                if index > start + 1, line.isSize(columns[index - 2]), let day = FTPMonth.day(line, columns[index - 1]),
                    let (moment, last) = moment(line, columns, index + 1, month: month, day: day)
                {
                    return Stamp(size: index - 2, moment: moment, name: columns[last].upperBound + 1)
                }
            } else if let stamp = isoStamp(line, columns: columns, at: index) {
                return stamp
            }
        }
        return nil
    }

    /// `1234 2019-01-05 12:30` or, by `--full-time`, `1234 2019-01-05 12:30:15.000000000 +0100`.
    private func isoStamp(_ line: Span<UInt8>, columns: FTPColumns, at index: Int) -> Stamp? {
        guard columns[index].count == 10, line[columns[index].lowerBound + 4] == UInt8(ascii: "-"),
            let (year, month, day) = FTPListDate.day(line, columns[index]), line.isSize(columns[index - 1]),
            let clock = FTPListDate.clock(line, columns[index + 1])
        else { return nil }
        var last = index + 1
        var dates = dates
        if clock.hasSeconds, columns.count > index + 2, let zone = Self.zone(line, columns[index + 2]) {
            dates = FTPListDate(now: dates.now, offset: zone)
            last += 1
        }
        let moment = dates.moment(year: year, month: month, day: day, clock: clock)
        return Stamp(size: index - 1, moment: moment, name: columns[last].upperBound + 1)
    }

    /// The year or the clock at `index`, and the last column of the date.
    private func moment(
        _ line: Span<UInt8>, _ columns: FTPColumns, _ index: Int, month: Int, day: Int
    ) -> (FTPListDate.Moment, Int)? {
        if let year = line.small(columns[index], digits: 4...4) {
            return (dates.moment(year: year, month: month, day: day, clock: nil), index)
        }
        guard let clock = FTPListDate.clock(line, columns[index]) else { return nil }
        // BSD's `-T` puts the year behind the seconds.
        if clock.hasSeconds, index + 2 < columns.count, let year = line.small(columns[index + 1], digits: 4...4) {
            return (dates.moment(year: year, month: month, day: day, clock: clock), index + 1)
        }
        return (dates.moment(month: month, day: day, clock: clock), index)
    }

    private func fill(
        _ entry: inout FTPEntry, _ line: Span<UInt8>, _ columns: FTPColumns, _ stamp: Stamp, hasSize: Bool
    ) {
        let size = line.number(columns[stamp.size])
        entry.setMoment(stamp.moment)
        var name = min(stamp.name, line.count)..<line.count
        if entry.type == .symbolicLink, let arrow = Self.arrow(line, name, targetLength: size) {
            // The target is empty if the server may not read the link.
            if arrow + 4 < line.count { entry.linkTarget = line.bytes(arrow + 4..<line.count) }
            name = name.lowerBound..<arrow
        }
        // `ls -F` marks folders so.
        if entry.type == .directory, line.has("/", in: name.suffix(1)) { name = name.dropLast() }
        entry.name = line.bytes(name)
        if hasSize { entry.size = size }
    }

    /// The position of the ` -> ` between a link and its target. Both may contain it, so the link's size, the length of
    /// its target, decides.
    private static func arrow(_ line: Span<UInt8>, _ range: Range<Int>, targetLength: Int64?) -> Int? {
        var first: Int?
        for index in stride(from: range.lowerBound + 1, through: range.upperBound - 4, by: 1)
        where line.has(" -> ", in: index..<index + 4) {
            if Int64(range.upperBound - index - 4) == targetLength { return index }
            first = first ?? index
        }
        return first
    }

    /// What the letters of a column say, where it is one of ten letters and perhaps a mark for further rights.
    private static func type(_ line: Span<UInt8>, _ column: Range<Int>) -> FileType? {
        guard column.count >= 10 else { return nil }
        let letters = column.lowerBound + 1
        for index in 0..<9 {
            let letter = line[letters + index]
            if letter == UInt8(ascii: "-") { continue }
            switch index % 3 {
            case 0: guard letter == UInt8(ascii: "r") else { return nil }
            case 1: guard letter == UInt8(ascii: "w") else { return nil }
            default: guard "xsStTlL".utf8.contains(letter) else { return nil }
            }
        }
        // A large number of links may touch the letters.
        if column.count > 10, !line[letters + 9].isDigit, !"+.@".utf8.contains(line[letters + 9]) { return nil }
        switch line[column.lowerBound] {
        case UInt8(ascii: "-"): return .regular
        case UInt8(ascii: "d"): return .directory
        case UInt8(ascii: "l"): return .symbolicLink
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): return .other
        default: return nil
        }
    }

    private static func permissions(_ line: Span<UInt8>, _ letters: Int) -> UInt16 {
        var bits: UInt16 = 0
        for index in 0..<9 {
            let letter = line[letters + index]
            if letter == UInt8(ascii: "-") { continue }
            let isUpper = letter.lowercased != letter
            if !isUpper, letter != UInt8(ascii: "l") { bits |= 0o400 >> UInt16(index) }
            // In the columns of `x`: set user, set group (`l` is System V's locking), sticky.
            if index % 3 == 2, letter != UInt8(ascii: "x") { bits |= 0o4000 >> UInt16(index / 3) }
        }
        return bits
    }

    /// `+0100` in seconds.
    private static func zone(_ line: Span<UInt8>, _ column: Range<Int>) -> Int? {
        guard column.count == 5, line.has("+", in: column.prefix(1)) || line.has("-", in: column.prefix(1)),
            let number = line.small(column.dropFirst(), digits: 4...4)
        else { return nil }
        let seconds = (number / 100 * 60 + number % 100) * 60
        return line.has("-", in: column.prefix(1)) ? -seconds : seconds
    }
}

extension FTPEntry {
    mutating func setMoment(_ moment: FTPListDate.Moment) {
        modified = moment.date
        timePrecision = moment.date == nil ? nil : moment.precision
    }
}

extension Span where Element == UInt8 {
    /// Whether `range` is a number, perhaps a negative one: some servers overflow for large files.
    fileprivate func isSize(_ range: Range<Int>) -> Bool {
        isNumber(self[range.lowerBound] == UInt8(ascii: "-") ? range.dropFirst() : range)
    }
}
