import FileProviderCore
import Foundation

/// The forms with the date in numbers: Windows, OS/2, IBM i.
extension FTPListParser {
    /// `01-05-19  12:30PM       <DIR>          name`, and a size in the place of `<DIR>`.
    func dosEntry(_ line: Span<UInt8>, columns: FTPColumns) -> FTPEntry? {
        guard columns.count > 2, let (year, month, day) = FTPListDate.day(line, columns[0]),
            var clock = FTPListDate.clock(line, columns[1])
        else { return nil }
        var index = 2
        if let half = FTPListDate.half(line, columns[2]) {
            clock = FTPListDate.clock(clock, half: half)
            index = 3
        }
        guard index < columns.count, let (type, size) = Self.kind(line, columns[index]) else { return nil }
        var entry = FTPEntry(name: [], type: type)
        entry.size = size
        entry.setMoment(dates.moment(year: year, month: month, day: day, clock: clock))
        var name = Self.nameStart(line, column: columns[index])..<line.count
        if type == .symbolicLink, line.has("]", in: name.suffix(1)), let bracket = Self.lastBracket(line, range: name) {
            entry.linkTarget = line.bytes(bracket + 2..<line.count - 1)
            name = name.lowerBound..<bracket
        }
        entry.name = line.bytes(name)
        return entry
    }

    /// `<DIR>` and its like, or a size, with marks between thousands or without.
    private static func kind(_ line: Span<UInt8>, _ column: Range<Int>) -> (FileType, Int64?)? {
        if line.has("<dir>", in: column) { return (.directory, nil) }
        if line.has("<junction>", in: column) || line.has("<symlinkd>", in: column) || line.has("<symlink>", in: column)
        {
            return (.symbolicLink, nil)
        }
        let isNegative = line[column.lowerBound] == UInt8(ascii: "-")
        var digits: [UInt8] = []
        for index in isNegative ? column.dropFirst() : column {
            if line[index].isDigit {
                digits.append(line[index])
            } else if line[index] != UInt8(ascii: ",") && line[index] != UInt8(ascii: ".") || digits.isEmpty {
                return nil
            }
        }
        if digits.isEmpty { return nil }
        return (.regular, isNegative ? nil : digits.span.number(0..<digits.count))
    }

    /// One space behind a size; behind `<DIR>` the name stands under the others, 15 columns from the bracket, where the
    /// line is so wide.
    private static func nameStart(_ line: Span<UInt8>, column: Range<Int>) -> Int {
        guard line[column.lowerBound] == UInt8(ascii: "<") else { return min(column.upperBound + 1, line.count) }
        return min(line.skippingSpaces(from: column.upperBound), column.lowerBound + 15)
    }

    /// Where ` [` in front of a link's target begins.
    private static func lastBracket(_ line: Span<UInt8>, range: Range<Int>) -> Int? {
        var found: Int?
        for index in stride(from: range.lowerBound + 1, to: range.upperBound - 2, by: 1)
        where line.has(" [", in: index..<index + 2) {
            found = index
        }
        return found
    }

    /// `         612      A    06-28-96   09:28  CONFIG.SYS`, with `DIR` among the letters for a folder.
    func os2Entry(_ line: Span<UInt8>, columns: FTPColumns) -> FTPEntry? {
        guard line.isNumber(columns[0]) else { return nil }
        var index = 1
        var isFolder = false
        while index < min(5, columns.count), line.isWord(columns[index]) {
            isFolder = isFolder || line.has("dir", in: columns[index])
            index += 1
        }
        guard index + 2 < columns.count, let (year, month, day) = FTPListDate.day(line, columns[index]),
            let clock = FTPListDate.clock(line, columns[index + 1])
        else { return nil }
        var entry = FTPEntry(
            name: line.bytes(columns[index + 2].lowerBound..<line.count), type: isFolder ? .directory : .regular)
        entry.size = isFolder ? nil : line.number(columns[0])
        entry.setMoment(dates.moment(year: year, month: month, day: day, clock: clock))
        return entry
    }

    /// `OWNER   77824 02/23/00 15:09:55 *DIR       NAME/`
    func as400Entry(_ line: Span<UInt8>, columns: FTPColumns) -> FTPEntry? {
        guard columns.count > 5, line.isNumber(columns[1]), let (year, month, day) = FTPListDate.day(line, columns[2]),
            let clock = FTPListDate.clock(line, columns[3]), line[columns[4].lowerBound] == UInt8(ascii: "*")
        else { return nil }
        let kind = columns[4]
        let isFolder =
            line.has("*dir", in: kind) || line.has("*ddir", in: kind) || line.has("*lib", in: kind)
            || line.has("*flr", in: kind)
        let isFile =
            line.has("*stmf", in: kind) || line.has("*dstmf", in: kind) || line.has("*file", in: kind)
            || line.has("*doc", in: kind)
        let name = columns[5].lowerBound..<line.count
        let hasSlash = line[name.upperBound - 1] == UInt8(ascii: "/")
        let isLink = line.has("*symlnk", in: kind)
        var entry = FTPEntry(
            name: line.bytes(isFolder && hasSlash ? name.dropLast() : name),
            type: isFolder ? .directory : isLink ? .symbolicLink : isFile ? .regular : .other)
        entry.owner = line.text(columns[0])
        // Of a database file it is what the file takes on the disk.
        entry.size = isFile && !line.has("*file", in: kind) ? line.number(columns[1]) : nil
        entry.setMoment(dates.moment(year: year, month: month, day: day, clock: clock))
        return entry
    }
}
