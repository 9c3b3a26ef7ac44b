import FileProviderCore
import Foundation

/// The bytes around a parser's position.
struct ByteWindow {
    /// The least that is read at once, in bytes; 32 KiB.
    static let length: Int64 = 32 << 10
    private static let maxReads = 128
    private static let maxBytes: Int64 = 32 << 20

    /// Bytes of the file.
    let size: Int64
    let reader: any FileReader
    /// The offset at which reading ends.
    let reach: Int64
    private var start: Int64 = 0
    private var held: [UInt8]
    private var reads = 1
    private var bytesRead: Int64

    /// Reads the start of the file.
    init(_ reader: any FileReader, reach: Int64 = .max) async throws {
        self.reader = reader
        let first = min(Self.length, max(0, reach))
        held = first > 0 ? Array(try await reader.read([0..<first])[0]) : []
        size = max(0, try await reader.attributes().size)
        self.reach = min(reach, size)
        bytesRead = Int64(held.count)
    }

    /// Returns the bytes of `range` if they were read already.
    func peek(_ range: Range<Int64>) -> ArraySlice<UInt8>? {
        guard range.lowerBound >= start, range.upperBound <= start + Int64(held.count) else { return nil }
        return held[Int(range.lowerBound - start)..<Int(range.upperBound - start)]
    }

    /// Returns all the bytes of `range`, or throws.
    ///
    /// - Throws: ``MediaFault``; errors of the reader.
    mutating func bytes(_ range: Range<Int64>) async throws -> ArraySlice<UInt8> {
        if let found = peek(range) { return found }
        guard range.lowerBound >= 0, range.upperBound <= reach else { throw MediaFault.end }
        let wanted = range.lowerBound..<min(max(range.upperBound, range.lowerBound + Self.length), reach)
        guard reads < Self.maxReads, bytesRead + Int64(wanted.count) <= Self.maxBytes else { throw MediaFault.limit }
        held = Array(try await reader.read([wanted])[0])
        start = wanted.lowerBound
        reads += 1
        bytesRead += Int64(held.count)
        guard let found = peek(range) else { throw MediaFault.end }
        return found
    }

    /// Returns the bytes of `range`, or as many as exist, up to `limit`.
    mutating func start(of range: Range<Int64>, limit: Int) async throws -> ArraySlice<UInt8> {
        try await bytes(
            range.lowerBound..<max(range.lowerBound, min(range.upperBound, range.lowerBound + Int64(limit), reach)))
    }
}

extension Collection<UInt8> {
    /// Returns the unsigned big-endian number in `count` bytes, up to eight, at `offset`; nil if the bytes end before,
    /// or it doesn't fit `Int64`.
    func big(_ offset: Int, _ count: Int) -> Int64? {
        let bytes = dropFirst(offset).prefix(count)
        guard bytes.count == count else { return nil }
        return Int64(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// Returns the same for a little-endian number.
    func little(_ offset: Int, _ count: Int) -> Int64? {
        let bytes = dropFirst(offset).prefix(count)
        guard bytes.count == count else { return nil }
        return Int64(exactly: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
