import FileProviderCore
import Foundation

/// The part of a file that is being examined: small after a jump, growing during sequential reads.
struct SalvageWindow {
    /// The bytes to read after a jump, and the most.
    private static let blocks: ClosedRange<Int64> = 16 << 10...1 << 20

    /// Bytes of the file.
    let size: Int64
    private let reader: CachedFileReader
    /// Bytes that may still be read.
    private var budget: Int64
    private var start: Int64 = 0
    private var data = Data()
    private var block = Self.blocks.lowerBound

    init(reader: CachedFileReader, size: Int64, budget: Int64) {
        self.reader = reader
        self.size = size
        self.budget = budget
    }

    /// Returns at least `count` bytes from `offset` on; fewer only at the end of the file.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if too much would have to be read; errors of the reader.
    mutating func bytes(from offset: Int64, atLeast count: Int) async throws -> Data {
        // Only differences: for a file that claims a huge size, sums would overflow.
        guard offset >= 0, offset < size, count > 0 else { return Data() }
        let end = offset + min(Int64(count), size - offset)
        let held = start..<start + Int64(data.count)
        if held.lowerBound > offset || held.upperBound < end {
            block =
                held.lowerBound...held.upperBound ~= offset
                ? min(2 * block, Self.blocks.upperBound) : Self.blocks.lowerBound
            try await load(offset..<max(end, offset + min(block, size - offset)))
        }
        return data.dropFirst(Int(offset - start))
    }

    private mutating func load(_ range: Range<Int64>) async throws {
        budget -= Int64(range.count)
        guard budget >= 0 else {
            throw FileError.make(
                .fileReadCorruptFile, path: reader.path,
                sentence:
                    "“\(reader.path)” is a ZIP archive without a usable directory and is too large to search for its entries."
            )
        }
        let (data, extent) = try await reader.read(.range(range))
        guard extent.count == Int64(range.count) else { throw FileError.changedWhileReading(reader.path) }
        self.data = data
        start = range.lowerBound
    }

    /// Returns the first offset at or after `offset` at which one of `records` starts.
    mutating func find(_ records: [UInt32], from offset: Int64) async throws -> (offset: Int64, record: UInt32)? {
        var position = offset
        while position <= size - 4 {
            try Task.checkCancellation()
            let bytes = try await bytes(from: position, atLeast: 4)
            if let found = bytes.withUnsafeBytes({ $0.firstRecord(of: records) }) {
                return (position + Int64(found.offset), found.record)
            }
            // The last three bytes may be the start of a signature.
            position += Int64(max(1, bytes.count - 3))
        }
        return nil
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the first offset at which one of `records` starts.
    func firstRecord(of records: [UInt32]) -> (offset: Int, record: UInt32)? {
        guard let base = baseAddress else { return nil }
        var position = 0
        while position + 4 <= count, let hit = memchr(base + position, 0x50, count - 3 - position) {
            let offset = UnsafeRawPointer(hit) - base
            let record = u32(offset)
            if records.contains(record) { return (offset, record) }
            position = offset + 1
        }
        return nil
    }
}
