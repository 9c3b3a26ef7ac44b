import FileProviderCore
import Foundation

/// Parses the output of `LIST`, for which there is no standard: each kind of server has its own format.
///
/// A listing has one format. The first line that only one format matches decides it; lines that don't match it are
/// tried with the others. The text after the columns of the format is the name, byte for byte.
struct FTPListParser: FTPListing {
    var lines = FTPLines()
    var unreadable = FTPUnreadableLines()
    var unusable = UnusableNames()
    /// The form of the listing, when it is known.
    private(set) var dialect: Dialect?
    let dates: FTPListDate
    private var columns = FTPColumns()
    private var vms = VMSNames()
    private var isFirst = true

    /// The forms, the most common first.
    enum Dialect: Sendable {
        case unix, dos, eplf, netware, vms, as400, os2
        // These are read only below their headings, because their lines could be anything.
        case mvsDatasets, mvsMembers, mvsModules, tandem

        var isBelowHeading: Bool { !Self.recognizable.contains(self) }

        fileprivate static let recognizable: [Dialect] = [.unix, .dos, .eplf, .netware, .vms, .as400, .os2]
    }

    /// - Parameters:
    ///   - now: The time of the listing, from which missing years are derived.
    ///   - offset: Seconds that the server's clock is ahead of UTC.
    init(now: Date, offset: Int = 0) {
        dates = FTPListDate(now: now, offset: offset)
    }

    /// - Parameters:
    ///   - now: As above.
    ///   - zone: That of the server's clock, with its summer time.
    init(now: Date, zone: TimeZone) {
        dates = FTPListDate(now: now, zone: zone)
    }

    mutating func read(_ line: Span<UInt8>) -> FTPLineContent {
        columns.find(in: line)
        if columns.isEmpty { return .noEntry }
        defer { isFirst = false }
        if dialect?.isBelowHeading ?? true, let heading = Dialect(heading: line, columns) {
            dialect = heading
            return .noEntry
        }
        guard dialect == nil || dialect == .vms else { return reading(line) }
        switch vms.join(line, columns, unreadable: &unreadable) {
        case .kept: return .noEntry
        case .alone: return reading(line)
        case .joined(let whole):
            columns.find(in: whole.span)
            return reading(whole.span)
        }
    }

    private mutating func reading(_ line: Span<UInt8>) -> FTPLineContent {
        guard let entry = entry(line) else { return isNoise(line) ? .noEntry : .unreadable }
        return dialect == .vms && vms.isOlderVersion(entry) ? .noEntry : .entry(entry)
    }

    mutating func readEnd() { vms.end(unreadable: &unreadable) }

    private mutating func entry(_ line: Span<UInt8>) -> FTPEntry? {
        if let dialect {
            if let entry = read(line, as: dialect) { return entry }
            for other in Dialect.recognizable where other != dialect {
                if let entry = read(line, as: other) { return entry }
            }
            return nil
        }
        var first: FTPEntry?
        for candidate in Dialect.recognizable {
            guard let entry = read(line, as: candidate) else { continue }
            if first != nil {
                dialect = nil
                break
            }
            (first, dialect) = (entry, candidate)
        }
        return first
    }

    private func read(_ line: Span<UInt8>, as dialect: Dialect) -> FTPEntry? {
        switch dialect {
        case .unix: unixEntry(line, columns: columns)
        case .dos: dosEntry(line, columns: columns)
        case .eplf: eplfEntry(line)
        case .netware: netwareEntry(line, columns: columns)
        case .vms: vmsEntry(line, columns: columns)
        case .as400: as400Entry(line, columns: columns)
        case .os2: os2Entry(line, columns: columns)
        case .mvsDatasets: datasetEntry(line, columns: columns)
        case .mvsMembers: memberEntry(line, columns: columns)
        case .mvsModules: moduleEntry(line, columns: columns)
        case .tandem: tandemEntry(line, columns: columns)
        }
    }

    /// Sums and headings, which name no item.
    private func isNoise(_ line: Span<UInt8>) -> Bool {
        // `total 12`, and at the beginning in any language, as `insgesamt 12`, `合計 12`.
        if columns.count == 2, line.isNumber(columns[1]),
            line.has("total", in: columns[0]) || isFirst && line.isWord(columns[0])
        {
            return true
        }
        if dialect == nil || dialect == .vms {
            // `Directory DKA0:[PUB]`, `Total of 3 files, 12 blocks.`, `%DIRECT-W-NOFILES, no files found`
            if columns.count == 2, line.has("directory", in: columns[0]) { return true }
            if line.begins(with: "%direct-w-nofiles", in: columns[0]) { return true }
            let total = line.has("grand", in: columns[0]) ? 1 : 0
            if columns.count > total + 1, line.has("total", in: columns[total]), line.has("of", in: columns[total + 1])
            {
                return true
            }
        }
        // `FILE.FILE/MEMBER.MBR`: a member of a folder that has its own line.
        return dialect == .as400 && columns.count > 2 && line.has("*mem", in: columns[1])
    }
}

/// The first columns of a line, parted by spaces or tabs.
struct FTPColumns: Sendable {
    /// More than the columns before the name in any form, with room for an owner's name of many words.
    private static let maxCount = 24
    private var ranges: [Range<Int>] = []

    mutating func find(in line: Span<UInt8>) {
        ranges.removeAll(keepingCapacity: true)
        var position = line.skippingSpaces(from: 0)
        while position < line.count, ranges.count < Self.maxCount {
            let start = position
            while position < line.count, !line[position].isSpace { position += 1 }
            ranges.append(start..<position)
            position = line.skippingSpaces(from: position)
        }
    }

    var count: Int { ranges.count }
    var isEmpty: Bool { ranges.isEmpty }
    subscript(index: Int) -> Range<Int> { ranges[index] }
}
