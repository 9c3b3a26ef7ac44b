import FileProviderCore
import Foundation
import Synchronization
import Testing

/// A file of 10,000 bytes that writes down what is asked of it.
private final class RecordedFile: Sendable {
    static let content = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let asked = CollectedValues<Range<Int64>>()
    let version = LockedValue("1")

    func reader(gap: Int = 100) throws -> RangedFileReader {
        let cost = Capabilities.ReadCost(
            roundTripsToOpen: 1, roundTripsPerRange: 1, preferredBlock: 1, coalescingGap: gap, concurrentRanges: 2)
        return RangedFileReader(path: try ProviderPath("/f"), cost: cost) { [self] part, _, sink in
            let size = Int64(Self.content.count)
            let range = part.resolved(size: size)
            asked.append(range)
            let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size)
            try sink.begin(extent)
            _ = try Self.content[Int(range.lowerBound)..<Int(range.upperBound)].withUnsafeBytes { try sink.write($0) }
            return (extent, FileReaderAttributes(size: size, validator: version.value))
        }
    }
}

@Suite struct ReadingTests {
    @Test func `ranges that lie close are fetched as one and given back apart`() async throws {
        let file = RecordedFile()
        let ranges: [Range<Int64>] = [500..<600, 0..<10, 110..<120, 9_990..<20_000, 5..<5, 221..<230, 700..<701]
        let parts = try await file.reader().read(ranges)
        for (range, part) in zip(ranges, parts) {
            let clamped = range.clamped(to: 0..<10_000)
            #expect(part == RecordedFile.content[Int(clamped.lowerBound)..<Int(clamped.upperBound)], "\(range)")
        }
        #expect(Set(file.asked.values) == [0..<120, 221..<230, 500..<701, 9_990..<10_000])
    }

    @Test func `ranges at the edges of what a number holds are clamped`() async throws {
        let parts = try await RecordedFile().reader().read([-5..<3, 9_999..<Int64.max, Int64.max - 1..<Int64.max])
        #expect(parts.map(\.count) == [3, 1, 0])
        #expect(parts.first == RecordedFile.content.prefix(3))
    }

    @Test func `random ranges come back as they are in the file`() async throws {
        for _ in 0..<50 {
            let ranges = (0..<20).map { _ -> Range<Int64> in
                let start = Int64.random(in: 0..<10_000)
                return start..<(start + Int64.random(in: 0...400))
            }
            let parts = try await RecordedFile().reader(gap: Int.random(in: 0...500)).read(ranges)
            for (range, part) in zip(ranges, parts) {
                let clamped = range.clamped(to: 0..<10_000)
                #expect(part == RecordedFile.content[Int(clamped.lowerBound)..<Int(clamped.upperBound)])
            }
        }
    }

    @Test func `a file that changes between two reads is an error`() async throws {
        let file = RecordedFile()
        let reader = try file.reader()
        _ = try await reader.read(0..<10)
        file.version.update { $0 = "2" }
        await #expect { try await reader.read(10..<20) } throws: {
            $0.sentence.contains("changed while it was being read")
        }
    }

    @Test(
        arguments: [
            (FilePart.whole, 0..<10), (.from(4), 4..<10), (.from(40), 10..<10), (.suffix(3), 7..<10),
            (.suffix(30), 0..<10),
            (.range(2..<30), 2..<10), (.range(20..<30), 10..<10), (.suffix(0), 10..<10),
        ] as [(FilePart, Range<Int64>)])
    func `a part is clamped to the file`(part: FilePart, expected: Range<Int64>) {
        #expect(part.resolved(size: 10) == expected)
    }

    @Test func `bytes come in pieces, and leaving the loop stops the transfer`() async throws {
        var collected = Data()
        for try await piece in try RecordedFile().reader().bytes(.from(9_000)) { collected += piece }
        #expect(collected == RecordedFile.content.suffix(1000))
        for try await _ in try RecordedFile().reader().bytes() { break }
    }

    @Test func `a sink in memory refuses more than its limit`() async throws {
        let reader = try RecordedFile().reader()
        await #expect { try await reader.stream(.whole, into: DataSink(limit: 9_999)) } throws: {
            ($0 as? CocoaError)?.code == .fileReadTooLarge
        }
    }
}
