import Archives
import FileProviderCore
import Foundation
import Testing

@testable import PublicationCache

private let block = Int(CacheHeader.usualBlock)

/// A file in memory that counts the bytes that are read of it.
private final class TaggedReader: FileReader {
    let path = ProviderPath.root
    let cost = Capabilities.ReadCost.request
    let bytes = LockedValue(0)
    let isAway = LockedValue(false)
    let isClosed = LockedValue(false)
    private let data: Data
    private let tag: String?
    private let date: Date?
    /// The first offset from which the storage doesn't read.
    private let refused: Int64

    init(_ data: Data, tag: String?, date: Date? = nil, refused: Int64 = .max) {
        self.data = data
        self.tag = tag
        self.date = date
        self.refused = refused
    }

    func attributes() async throws -> FileReaderAttributes {
        if isAway.value { throw CountedMedium.lost }
        return FileReaderAttributes(size: Int64(data.count), validator: tag, validatorDate: date)
    }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        if isAway.value { throw CountedMedium.lost }
        let range = part.resolved(size: Int64(data.count))
        if range.lowerBound >= refused { throw CocoaError(.featureUnsupported) }
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: Int64(data.count))
        bytes.update { $0 += range.count }
        try await sink.take(data[Int(range.lowerBound)..<Int(range.upperBound)], extent: extent)
        return extent
    }

    func close() async { isClosed.update { $0 = true } }
}

@Suite struct `A file that is read through a cache` {
    private let room: CacheRoom
    private let bytes = Data.seeded(3 * block + 777)

    init() throws { room = try CacheRoom() }

    private func reader(_ base: TaggedReader, scope: String = "file") -> CachingFileReader {
        CachingFileReader(base, cache: room.cache(), scope: scope)
    }

    @Test func `has the file's bytes for every part, and reads each of them once`() async throws {
        let size = Int64(bytes.count)
        let parts: [FilePart] = [
            .suffix(5), .range(1..<9), .range(size - 3..<size + 9), .from(size - Int64(block) - 1), .whole,
            .suffix(size + 1), .range(size..<size + 1), .from(size),
        ]
        let first = TaggedReader(bytes, tag: "1")
        let second = TaggedReader(bytes, tag: "1")
        for base in [first, second] {
            let reader = reader(base)
            #expect(try await reader.attributes().validator == "1")
            for part in parts {
                let range = part.resolved(size: size)
                let (data, extent) = try await reader.read(part)
                #expect(data == bytes[Int(range.lowerBound)..<Int(range.upperBound)], "\(part)")
                #expect(extent == FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size))
            }
            await reader.close()
            #expect(base.isClosed.value)
        }
        #expect(first.bytes.value == bytes.count)
        #expect(second.bytes.value == 0)
    }

    @Test func `is another one in another version, also of the same length`() async throws {
        let other = Data.seeded(bytes.count, seed: 2)
        #expect(try await reader(TaggedReader(bytes, tag: "1")).read(.whole).data == bytes)
        #expect(try await reader(TaggedReader(other, tag: "2")).read(.whole).data == other)
        #expect(try await reader(TaggedReader(bytes, tag: "1")).read(.suffix(9)).data == bytes.suffix(9))
    }

    @Test func `is read again if its storage can't tell versions apart`() async throws {
        let other = Data.seeded(bytes.count, seed: 2)
        #expect(try await reader(TaggedReader(bytes, tag: nil)).read(.whole).data == bytes)
        #expect(try await reader(TaggedReader(other, tag: nil)).read(.whole).data == other)
    }

    @Test func `is read again while its next version may have the same time`() async throws {
        let other = Data.seeded(bytes.count, seed: 2)
        let now = Date()
        #expect(try await reader(TaggedReader(bytes, tag: "1", date: now)).read(.whole).data == bytes)
        #expect(try await reader(TaggedReader(other, tag: "1", date: now)).read(.whole).data == other)
        let earlier = now - 3_600
        #expect(try await reader(TaggedReader(bytes, tag: "0", date: earlier)).read(.whole).data == bytes)
        let known = TaggedReader(bytes, tag: "0", date: earlier)
        #expect(try await reader(known).read(.whole).data == bytes)
        #expect(known.bytes.value == 0)
    }

    @Test func `is read in one piece if its storage doesn't read from offsets`() async throws {
        let size = Int64(bytes.count)
        let reader = reader(TaggedReader(bytes, tag: "1", refused: 1))
        for part in [FilePart.whole, .range(0..<size - 5), .range(0..<9)] {
            let range = part.resolved(size: size)
            let (data, extent) = try await reader.read(part)
            #expect(data == bytes[..<Int(range.upperBound)], "\(part)")
            #expect(extent == FileExtent(offset: 0, count: Int64(range.count), size: size))
        }
        let end = size - 9..<size
        await #expect(throws: CocoaError.self) { try await reader.read(.range(end)) }
    }

    @Test func `can't be read while its storage is away`() async throws {
        let base = TaggedReader(bytes, tag: "1")
        #expect(try await reader(base).read(.whole).data == bytes)
        base.isAway.update { $0 = true }
        let reader = reader(base)
        await #expect(throws: URLError.self) { try await reader.read(.whole) }
        await #expect(throws: URLError.self) { try await reader.attributes() }
    }
}
