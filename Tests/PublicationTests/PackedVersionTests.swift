#if Formats
    import FileProviderCore
    import Foundation
    import SampleBooks
    import Synchronization
    import Testing

    @testable import Archives
    @testable import MediaTypes
    @testable import Publication
    @testable import PublicationCache

    /// A file that is replaced under its reader; each answer tells the version it is of.
    private final class ReplacedFile: Sendable {
        private let state: Mutex<(data: Data, version: String)>

        init(_ data: Data, version: String) { state = Mutex((data, version)) }

        func replace(_ data: Data, version: String) { state.withLock { $0 = (data, version) } }

        func reader() throws -> RangedFileReader {
            RangedFileReader(path: try ProviderPath("/comic"), cost: .request) { [self] part, _, sink in
                let (data, version) = state.withLock { $0 }
                let range = part.resolved(size: Int64(data.count))
                let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: Int64(data.count))
                try await sink.take(data.dropFirst(Int(range.lowerBound)).prefix(range.count), extent: extent)
                return (extent, FileReaderAttributes(size: Int64(data.count), validator: version))
            }
        }
    }

    @Suite struct `A packed archive's version` {
        private func pages(seed: UInt64) -> [PackedBuilder.File] {
            (0..<12).map { PackedBuilder.File("\($0).jpg", Data.seeded(300_000, seed: seed + UInt64($0))) }
        }

        @Test(arguments: PackedBuilder.Kind.allCases)
        func `is noted, and a change between two reads is an error`(kind: PackedBuilder.Kind) async throws {
            let (old, new) = (pages(seed: 100), pages(seed: 200))
            let file = ReplacedFile(PackedBuilder.data(kind, old), version: "1")
            let archive = try await PackedArchive.open(file.reader())
            let fetcher = ArchiveFetcher(archive)
            let first = fetcher.get("0.jpg")
            #expect(try await first.validator() == ResourceValidator(length: 300_000, tag: "1"))
            #expect(try await first.read() == old[0].content)
            file.replace(PackedBuilder.data(kind, new), version: "2")
            // What was unpacked before is whole, and of the version that it says.
            #expect(try await first.read(10..<20) == old[0].content[10..<20])
            for _ in 0..<2 {
                let error = await readingFails(fetcher.get("11.jpg"))
                #expect(error?.resourceFailure == .other)
                #expect((error as? CocoaError)?.underlying as? POSIXError == POSIXError(.ESTALE))
            }
            #expect(try await fetcher.get("11.jpg").validator()?.tag == "1")
            let reopened = ArchiveFetcher(try await PackedArchive.open(file.reader()))
            #expect(try await reopened.get("11.jpg").validator()?.tag == "2")
            #expect(try await reopened.get("11.jpg").read() == new[11].content)
        }
    }
#endif
