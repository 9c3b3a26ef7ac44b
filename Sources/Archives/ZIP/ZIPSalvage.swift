import FileProviderCore
import Foundation

/// Finds the entries of a ZIP archive without its directory, by going from one local header to the next (APPNOTE.TXT,
/// section 4.3.7).
///
/// An entry counts if it is complete: by its own sizes or, if these follow the data, by a data descriptor that matches
/// its position (section 4.3.9). Nothing is unpacked; reading verifies the checksums.
struct ZIPSalvage {
    /// The entries, and one sentence that describes the repair.
    typealias Result = (directory: ZIPDirectory, sentence: String)

    /// The first local header must start within this length; otherwise the file is not an archive with a missing end.
    static let headLength: Int64 = 16 << 10

    private var window: SalvageWindow
    private let path: String
    private let limits: ArchiveLimits
    private var entries: [ZIPEntry] = []
    private var unsafeNames = CountedNames()
    /// Whether the file ends within an entry.
    private var isCutOff = false

    /// Searches the file, or at least inspects its start.
    ///
    /// - Returns: Nil for a file that does not begin as an archive, or has no complete entry.
    /// - Throws: `CocoaError(.featureUnsupported)` for the first part of a split archive, `.fileReadCorruptFile` if
    ///   more than ``ArchiveLimits/salvage`` bytes would have to be read, `.fileReadTooLarge` over the limit of
    ///   entries; errors of the reader.
    static func run(on reader: CachedFileReader, limits: ArchiveLimits) async throws -> Result? {
        guard limits.salvage > 0 else { return nil }
        let head = try await reader.read([0..<headLength])[0]
        guard let start = head.withUnsafeBytes({ $0.firstRecord(of: [ZIPRecord.localHeader])?.offset }) else {
            return nil
        }
        if start == 4, head.withUnsafeBytes({ $0.u32(0) == ZIPRecord.dataDescriptor }) {
            throw FileError.make(
                .featureUnsupported, path: reader.path,
                sentence: "“\(reader.path)” is one part of an archive that is split over several files.")
        }
        let size = try await reader.attributes().size
        var salvage = ZIPSalvage(
            window: SalvageWindow(reader: reader, size: size, budget: limits.salvage), path: reader.path.string,
            limits: limits)
        try await salvage.goThrough(from: Int64(start))
        return salvage.entries.isEmpty ? nil : salvage.result
    }

    private init(window: SalvageWindow, path: String, limits: ArchiveLimits) {
        self.window = window
        self.path = path
        self.limits = limits
    }

    /// Later entries replace earlier ones of the same name, as in an archive that was changed by appending.
    private var result: Result {
        var last: [[UInt8]: Int] = [:]
        for (index, entry) in entries.enumerated() { last[Array(entry.path.utf8)] = index }
        let kept = entries.indices.filter { last[Array(entries[$0].path.utf8)] == $0 }.map { entries[$0] }
        let directory = ZIPDirectory(salvaged: kept, unsafeNames: unsafeNames)
        let count = directory.entries.count
        let found = count == 1 ? "one complete entry was" : "\(count) complete entries were"
        let cut = isCutOff ? "; the last one is cut off and left out" : ""
        return (
            directory,
            "“\(path)” has no usable directory, as after an interrupted download; \(found) found without it\(cut)."
        )
    }

    // MARK: From header to header

    private mutating func goThrough(from start: Int64) async throws {
        var position = start
        while position < window.size {
            try Task.checkCancellation()
            let bytes = try await window.bytes(from: position, atLeast: ZIPRecord.localHeaderLength)
            guard let record = bytes.withUnsafeBytes({ $0.count >= 4 ? $0.u32(0) : nil }) else { return }
            if record == ZIPRecord.localHeader {
                guard let next = try await takeEntry(at: position) else { return }
                position = next
            } else if ZIPRecord.isBehindEntries(record) {
                return
            } else {
                // A descriptor of an entry whose size was known, or bytes that belong to no entry.
                guard
                    let next = try await window.find(
                        [ZIPRecord.localHeader, ZIPRecord.directoryHeader], from: position)
                else { return }
                position = next.offset
            }
        }
    }

    /// Adds the entry whose header is at `position`, if it is complete.
    ///
    /// - Returns: The offset at which to continue; nil if nothing can follow.
    private mutating func takeEntry(at position: Int64) async throws -> Int64? {
        let fixed = try await window.bytes(from: position, atLeast: ZIPRecord.localHeaderLength)
        guard let length = fixed.withUnsafeBytes({ ZIPRecord.lengthOfLocalHeader($0) }) else { return cutOff() }
        let bytes = try await window.bytes(from: position, atLeast: Int(length))
        guard Int64(bytes.count) >= length else { return cutOff() }
        guard let header = bytes.withUnsafeBytes({ SalvageHeader($0, length: Int(length)) }) else {
            return position + 4
        }
        let start = position + length
        if header.sizesFollow {
            guard let found = try await descriptor(ofDataAt: start) else { return cutOff() }
            try add(header.entry(at: position, length: length, sizes: found.sizes), named: header.name)
            return found.end
        }
        let (end, overflow) = start.addingReportingOverflow(header.sizes.compressed)
        guard !overflow, end <= window.size else { return cutOff() }
        var next = end
        if try await !isRecord(at: end) {
            // Either there is a gap behind the entry, or its size is wrong and the next header is inside the claimed
            // data.
            let following = try await window.find([ZIPRecord.localHeader, ZIPRecord.directoryHeader], from: start)?
                .offset
            if let following, following < end { return following }
            next = following ?? window.size
        }
        try add(header.entry(at: position, length: length, sizes: header.sizes), named: header.name)
        return next
    }

    private mutating func cutOff() -> Int64? {
        isCutOff = true
        return nil
    }

    private mutating func add(_ entry: ZIPEntry, named name: String) throws {
        guard entries.count < limits.entries else {
            throw FileError.make(
                .fileReadTooLarge, path: path,
                sentence: "“\(path)” has more than \(limits.entries) entries, which is the limit.")
        }
        if entry.path.isEmpty, !EntryName.isRoot(name) { unsafeNames.add(name) }
        entries.append(entry)
    }

    // MARK: Sizes that follow the data

    /// Finds the descriptor of the data that starts at `start`: one whose size matches that start.
    private mutating func descriptor(ofDataAt start: Int64) async throws -> (sizes: SalvageHeader.Sizes, end: Int64)? {
        var position = start
        let records = [ZIPRecord.dataDescriptor, ZIPRecord.localHeader, ZIPRecord.directoryHeader]
        while let found = try await window.find(records, from: position) {
            // With a signature, or without one directly before the next record.
            let isSigned = found.record == ZIPRecord.dataDescriptor
            for (offset, is64) in isSigned ? [(4, false), (4, true)] : [(-12, false), (-20, true)] {
                let position = found.offset + Int64(offset)
                let dataEnd = isSigned ? found.offset : position
                guard dataEnd >= start else { continue }
                let bytes = try await window.bytes(from: position, atLeast: 20)
                let sizes = bytes.withUnsafeBytes { SalvageHeader.Sizes(descriptor: $0, is64: is64) }
                guard let sizes, sizes.compressed == dataEnd - start else { continue }
                let end = position + (is64 ? 20 : 12)
                if try await isRecord(at: end) { return (sizes, end) }
            }
            position = found.offset + 4
        }
        return nil
    }

    /// Whether another record, or the end of the file, is at `offset`.
    private mutating func isRecord(at offset: Int64) async throws -> Bool {
        let bytes = try await window.bytes(from: offset, atLeast: 4)
        guard bytes.count >= 4 else { return bytes.isEmpty || bytes.first == UInt8(ascii: "P") }
        let record = bytes.withUnsafeBytes { $0.u32(0) }
        return [ZIPRecord.localHeader, ZIPRecord.dataDescriptor].contains(record) || ZIPRecord.isBehindEntries(record)
    }
}
