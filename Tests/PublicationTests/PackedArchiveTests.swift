#if Formats
    import FileProviderCore
    import Foundation
    import ProviderDoubles
    import SampleBooks
    import Testing

    @testable import Archives
    @testable import MediaTypes
    @testable import Publication
    @testable import PublicationCache

    private typealias File = PackedBuilder.File

    private func noise(_ count: Int, seed: UInt64 = 1) -> Data {
        var numbers = SeededNumbers(seed: seed)
        return numbers.bytes(count)
    }

    private let pages = (0..<12).map { File("pages/\($0).jpg", noise(40_000 + 1_000 * $0, seed: UInt64($0 + 1))) }

    private func open(
        _ kind: PackedBuilder.Kind, _ files: [File], limits: ArchiveLimits = .standard
    ) async throws -> (archive: PackedArchive, reader: CountingReader) {
        let reader = try CountingReader(PackedBuilder.data(kind, files))
        return (try await PackedArchive.open(reader, limits: limits), reader)
    }

    @Suite struct `A packed archive` {
        @Test(arguments: PackedBuilder.Kind.allCases)
        func `is known by its start, and lists and gives its files`(kind: PackedBuilder.Kind) async throws {
            #expect(PackedArchive.mayOpen(head: PackedBuilder.data(kind, pages).prefix(16 << 10)))
            let (archive, _) = try await open(kind, pages)
            #expect(archive.entries.map(\.path) == pages.map(\.name))
            #expect(archive.entries.map(\.length) == pages.map { Int64($0.content.count) })
            #expect(archive.repairs.isEmpty)
            for (entry, page) in zip(archive.entries, pages) {
                #expect(try await archive.read(entry) == page.content)
                #expect(try await archive.read(entry, range: 0..<1) == page.content.prefix(1))
                #expect(
                    try await archive.read(entry, range: 100..<20_100) == page.content.dropFirst(100).prefix(20_000))
                #expect(try await archive.read(entry, range: -5..<5) == page.content.prefix(5))
                #expect(try await archive.read(entry, range: entry.length..<entry.length + 9).isEmpty)
            }
        }

        @Test(arguments: PackedBuilder.Kind.allCases)
        func `gives its files in any order, and to many at once`(kind: PackedBuilder.Kind) async throws {
            let (archive, _) = try await open(kind, pages)
            for index in [7, 2, 11, 0, 7] {
                #expect(try await archive.read(archive.entries[index]) == pages[index].content)
            }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in (0..<48).map({ $0 * 5 % 12 }) {
                    group.addTask { try await archive.read(archive.entries[index]) == pages[index].content }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }

        @Test(arguments: [
            Data(), Data("Rar!".utf8), Data(String(repeating: "Any text. ", count: 100).utf8),
            Data([0x1F, 0x8B, 8, 0]), Data(count: 2_000),
        ])
        func `is not what begins otherwise`(data: Data) async throws {
            #expect(!PackedArchive.mayOpen(head: data))
            #expect(
                await fileError { _ = try await PackedArchive.open(try CountingReader(data)) } == .fileReadCorruptFile)
        }

        @Test func `of gzip is one only with TAR inside`() throws {
            // RFC 1952 around raw deflate data: enough to be unpacked as far as it is looked at.
            let text = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]) + Deflate.pack(noise(5_000))
            #expect(!PackedArchive.mayOpen(head: text))
        }

        @Test func `keeps names in their own letters below its root, and none that lead elsewhere`() async throws {
            let files = [
                File("größe/灯.jpg", "a"), File("../out", "x"), File("/etc/passwd", "x"), File("./b.jpg", "b"),
                File("b.jpg", "twice"),
                File("link", Data(), type: S_IFLNK), File("folder", Data(), type: S_IFDIR), File("B.jpg", "other case"),
            ]
            let (archive, _) = try await open(.tar, files)
            #expect(archive.entries.map(\.path) == ["größe/灯.jpg", "etc/passwd", "b.jpg", "folder/", "B.jpg"])
            let name = try #require(archive.entry(at: "gro\u{308}ße/灯.jpg".precomposedStringWithCanonicalMapping))
            #expect(try await archive.read(name) == Data("a".utf8))
            #expect(archive.entry(at: "gr\u{6F}\u{308}ße/灯.jpg") == name)
            let second = try #require(archive.entry(at: "b.jpg"))
            #expect(try await archive.read(second) == Data("b".utf8))
            for kind in [PackedBuilder.Kind.sevenZip, .rar5] {
                #expect(try await open(kind, [File("größe/灯.jpg", "a")]).archive.entries.map(\.path) == ["größe/灯.jpg"])
            }
        }

        @Test(arguments: PackedBuilder.Kind.allCases)
        func `has files without bytes`(kind: PackedBuilder.Kind) async throws {
            let (archive, _) = try await open(kind, [File("a", "1"), File("empty", ""), File("b", "2")])
            for (name, content) in [("empty", ""), ("b", "2"), ("a", "1")] {
                #expect(try await archive.read(try #require(archive.entry(at: name))) == Data(content.utf8))
            }
        }
    }

    @Suite struct `What a packed archive costs` {
        @Test(arguments: [PackedBuilder.Kind.tar, .rar4, .rar5])
        func `is the headers for its list, and a page's bytes for a page`(kind: PackedBuilder.Kind) async throws {
            let large = (0..<6).map { File("\($0).jpg", noise(700_000, seed: UInt64($0 + 1))) }
            let (archive, reader) = try await open(kind, large)
            #expect(reader.bytes < 180_000)
            let listed = reader.bytes
            _ = try await archive.read(archive.entries[4])
            let cost = reader.bytes - listed
            #expect(cost < 1_900_000)
        }

        @Test(arguments: [PackedBuilder.Kind.gzippedTar, .sevenZip])
        func `is one pass for reading in order where files are packed together`(kind: PackedBuilder.Kind) async throws {
            let data = PackedBuilder.data(kind, pages)
            let (archive, reader) = try await open(kind, pages)
            let listed = reader.bytes
            for entry in archive.entries { _ = try await archive.read(entry) }
            let read = reader.bytes
            let most = listed + Int64(data.count) * 3 / 2
            #expect(read < most)
            // The last ones are still there, and those that were gone over on the way to one are, too.
            for entry in archive.entries.reversed() { _ = try await archive.read(entry) }
            #expect(reader.bytes == read)
        }

        @Test func `is a file on the disk for what is too large for memory`() async throws {
            let content = noise(UnpackedEntry.maxSizeInMemory + 300_001)
            for kind in [PackedBuilder.Kind.tar, .rar5] {
                let (archive, reader) = try await open(kind, [File("a", "1"), File("large", content)])
                let entry = try #require(archive.entry(at: "large"))
                #expect(try await archive.read(entry) == content)
                let read = reader.bytes
                #expect(try await archive.read(entry, range: 8_000_000..<8_700_000) == content[8_000_000..<8_688_609])
                let sink = ReluctantSink()
                try await archive.stream(entry, range: 5..<900_000, into: sink)
                #expect(sink.data == content[5..<900_000])
                #expect(reader.bytes == read)
            }
        }

        @Test func `of what was unpacked is bounded`() {
            let held = UnpackedEntries(memory: 100, files: 0)
            for index in 0..<5 { held.insert(.memory(Data(count: 40)), at: index) }
            let isHeld = (0..<5).map { held[$0] != nil }
            #expect(isHeld == [false, false, false, true, true])
            _ = held[3]
            held.insert(.memory(Data(count: 40)), at: 9)
            #expect(held[3] != nil && held[4] == nil)
        }
    }

    @Suite struct `A packed archive nobody made with care` {
        @Test(arguments: PackedBuilder.Kind.allCases)
        func `that is cut off has what is in front of that`(kind: PackedBuilder.Kind) async throws {
            let data = PackedBuilder.data(kind, pages)
            let cut = try CountingReader(Data(data.prefix(data.count / 2)))
            guard kind != .sevenZip else {
                // Its list is at its end.
                return #expect(await fileError { _ = try await PackedArchive.open(cut) } == .fileReadCorruptFile)
            }
            let archive = try await PackedArchive.open(cut)
            #expect((4...8).contains(archive.entries.count))
            #expect(try await archive.read(archive.entries[2]) == pages[2].content)
            let last = try #require(archive.entries.last)
            #expect(await fileError { _ = try await archive.read(last) } == .fileReadCorruptFile)
            #expect(try await archive.read(archive.entries[3]) == pages[3].content)
        }

        @Test func `with damaged data gives the files that are whole`() async throws {
            var data = PackedBuilder.data(.sevenZip, pages)
            // Noise cannot be made smaller, so this is in one of the pages in the middle.
            for index in data.count / 2..<data.count / 2 + 16 { data[index] ^= 0x55 }
            let archive = try await PackedArchive.open(try CountingReader(data))
            var codes: Set<CocoaError.Code?> = []
            for (entry, page) in zip(archive.entries, pages) {
                codes.insert(
                    await fileError {
                        let bytes = try await archive.read(entry)
                        #expect(bytes == page.content)
                    })
            }
            #expect(codes == [nil, .fileReadCorruptFile])
            #expect(try await archive.read(archive.entries[0]) == pages[0].content)
        }

        @Test(arguments: [PackedBuilder.Kind.rar4, .rar5])
        func `with a damaged header is listed up to there`(kind: PackedBuilder.Kind) async throws {
            var data = PackedBuilder.data(kind, pages)
            let name = try #require(data.range(of: Data(pages[6].name.utf8)))
            data[name.lowerBound] ^= 0x55
            let archive = try await PackedArchive.open(try CountingReader(data))
            #expect(archive.entries.map(\.path) == pages.prefix(6).map(\.name))
            #expect(
                archive.repairs == [
                    "“/book.epub” is cut off or damaged; the 6 entries before the damage can be listed."
                ]
            )
            #expect(try await archive.read(archive.entries[5]) == pages[5].content)
        }

        /// Pitfall 32: encrypted entries are forbidden one by one.
        @Test func `with an encrypted file refuses that one`() async throws {
            let (archive, _) = try await open(
                .rar4, [File("locked", Data("x".utf8), isEncrypted: true), File("open", "y")])
            let fetcher = ArchiveFetcher(archive)
            #expect(await failure(fetcher.get("locked")) == .forbidden)
            #expect(try await fetcher.get("open").readAsString() == "y")
        }

        /// Pitfall 34: bombs. Sizes, counts, growth and the bytes of a list are bounded.
        @Test func `is held to the limits`() async throws {
            var limits = ArchiveLimits()
            limits.entries = 11
            for kind in PackedBuilder.Kind.allCases {
                #expect(await fileError { _ = try await open(kind, pages, limits: limits) } == .fileReadTooLarge)
            }
            limits = ArchiveLimits()
            limits.maxEntrySize = 45_000
            let (archive, _) = try await open(.rar5, pages, limits: limits)
            #expect(await fileError { _ = try await archive.read(archive.entries[9]) } == .fileReadTooLarge)
            #expect(try await archive.read(archive.entries[1]) == pages[1].content)
            limits = ArchiveLimits()
            limits.directoryBytes = 100
            #expect(await fileError { _ = try await open(.tar, pages, limits: limits) } == .fileReadTooLarge)
            limits = ArchiveLimits()
            limits.listing = 100_000
            #expect(await fileError { _ = try await open(.gzippedTar, pages, limits: limits) } == .fileReadTooLarge)
            limits = ArchiveLimits()
            limits.listingTime = .zero
            #expect(await fileError { _ = try await open(.tar, pages, limits: limits) } == .fileReadTooLarge)
            let zeros = [File("a", "1"), File("zeros", Data(count: 24 << 20))]
            #expect(await fileError { _ = try await open(.gzippedTar, zeros) } == .fileReadTooLarge)
            let (bomb, _) = try await open(.sevenZip, zeros)
            #expect(await fileError { _ = try await bomb.read(bomb.entries[1]) } == .fileReadTooLarge)
            #expect(try await bomb.read(bomb.entries[0]) == Data("1".utf8))
        }

        @Test func `in hundreds of damaged forms neither crashes nor hangs`() async throws {
            var numbers = SeededNumbers(seed: 41)
            let files = (0..<4).map { File("p\($0)", noise(900, seed: UInt64($0 + 1))) }
            var readable = 0
            for kind in PackedBuilder.Kind.allCases {
                let whole = PackedBuilder.data(kind, files)
                for round in 0..<80 {
                    var data = Data(whole)
                    for _ in 0...(round % 4) {
                        let index =
                            numbers.next() % 2 == 0
                            ? Int(numbers.next() % 120) : Int(numbers.next() % UInt64(data.count))
                        data[index] = [0, 0xFF, UInt8(truncatingIfNeeded: numbers.next())][Int(numbers.next() % 3)]
                    }
                    guard let archive = try? await PackedArchive.open(try CountingReader(data)) else { continue }
                    for entry in archive.entries.prefix(8) where (try? await archive.read(entry)) != nil {
                        readable += 1
                    }
                }
            }
            #expect(readable > 150)
        }

        @Test func `whose storage fails is not damaged`() async throws {
            let data = PackedBuilder.data(.rar5, pages)
            let archive = try await PackedArchive.open(try CountingReader(data, fault: .lost(from: 16)))
            await #expect(throws: URLError.self) {
                for entry in archive.entries { _ = try await archive.read(entry) }
            }
        }

        @Test func `stops at once when nobody waits any more`() async throws {
            let data = PackedBuilder.data(.rar5, pages)
            let archive = try await PackedArchive.open(CachedFileReader(try CountingReader(data)))
            let slow = try CountingReader(data, pause: .seconds(60))
            let start = ContinuousClock.now
            let opening = Task { try await PackedArchive.open(slow) }
            while slow.requests.count < 2 { await Task.yield() }
            opening.cancel()
            await #expect(throws: CancellationError.self) { try await opening.value }
            #expect(ContinuousClock.now - start < .seconds(40))
            #expect(archive.entries.count == 12)
        }

        @Test func `is unavailable once it is closed`() async throws {
            let (archive, reader) = try await open(.rar5, pages)
            let fetcher = ArchiveFetcher(archive)
            let resource = fetcher.get("pages/3.jpg")
            #expect(await failure(resource) == nil)
            await fetcher.close()
            await fetcher.close()
            #expect(reader.isClosed && archive.isClosed)
            #expect(await failure(resource) == .unavailable)
            #expect(await failure(fetcher.get("pages/4.jpg")) == .unavailable)
        }
    }

    @Suite struct `A book in a packed archive` {
        @Test(arguments: PackedBuilder.Kind.allCases)
        func `opens as it does from a folder`(kind: PackedBuilder.Kind) async throws {
            let book = try await ZIPArchive.open(try CountingReader(try SampleBook.small(.epub3)))
            var files: [File] = []
            for entry in book.entries where !entry.isDirectory {
                files.append(File(entry.path, try await book.read(entry)))
            }
            let shelf = try await MemoryShelf(["/book.epub": PackedBuilder.data(kind, files)])
            let publication = try await Publication.open(path: ProviderPath("/book.epub"), of: shelf.provider)
            #expect(publication.mediaType == .epub)
            for link in publication.readingOrder { #expect(try await publication.get(link).read().count > 0) }
            await publication.close()
        }

        /// The end of such a file looks like that of a ZIP archive with something in front of it.
        @Test func `is not taken for the ZIP archive that it ends with`() async throws {
            let inner = try ZIPBuilder.data { try $0.deflate("inner.txt", "inner") }
            let data = PackedBuilder.data(.tar, [File("a.jpg", noise(900)), File("inner.zip", inner)])
            let archive = try await SniffedContent(try CountingReader(data)).archive()
            #expect(archive?.entries.map(\.path) == ["a.jpg", "inner.zip"])
            let zip = try await SniffedContent(try CountingReader(noise(900) + inner)).archive()
            #expect(zip?.entries.map(\.path) == ["inner.txt"])
        }
    }
#endif
