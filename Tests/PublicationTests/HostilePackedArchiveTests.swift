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

    /// Small archives that would have libarchive take gigabytes before it says anything of them.
    @Suite(.timeLimit(.minutes(1))) struct HostilePackedArchiveTests {
        private typealias SevenZip = HandmadeSevenZip

        private func refusal(_ data: Data) async throws -> CocoaError? {
            do {
                _ = try await PackedArchive.open(try CountingReader(data))
                return nil
            } catch let error as CocoaError {
                return error
            }
        }

        @Test func `a list of a hundred million files in forty bytes is refused in one sentence`() async throws {
            let list = SevenZip.list(files: 100_000_000)
            for data in [SevenZip.data(list: list), SevenZip.packing(list)] {
                let error = try #require(await refusal(data))
                #expect(error.code == .fileReadTooLarge)
                #expect(error.sentence == "“/book.epub” claims more than 200000 entries, which is the limit.")
            }
        }

        @Test func `files, folders and streams without number are refused`() async throws {
            let many = SevenZip.number(90_000_000)
            let lists: [[UInt8]] = [
                [1, 4] + SevenZip.streams(0, folder: SevenZip.stored, sizes: [0], contents: [8, 0x0D] + many + [0]) + [
                    0
                ],
                [1, 4, 6, 0] + many + [9], [1, 4, 7, 0x0B] + many + [0],
                [1, 4] + SevenZip.streams(0, folder: [1, 0x11, 0] + many + [1], sizes: [0]) + [0],
            ]
            for list in lists {
                #expect(try await refusal(SevenZip.data(list: list))?.code == .fileReadTooLarge, "\(list)")
                #expect(try await refusal(SevenZip.packing(list))?.code == .fileReadTooLarge, "\(list)")
            }
        }

        @Test func `decoders that would keep gigabytes are refused`() async throws {
            let lzma: [UInt8] = [1, 0x23, 3, 1, 1, 5, 0x5D, 0xFF, 0xFF, 0xFF, 0xFF]
            let lzma2: [UInt8] = [1, 0x21, 0x21, 1, 40]
            let ppmd: [UInt8] = [1, 0x23, 3, 4, 1, 5, 6, 0, 0, 0, 0xF0]
            for folder in [lzma, lzma2, ppmd] {
                let list = [1, 4] + SevenZip.streams(0, folder: folder, sizes: [10]) + [0]
                #expect(try await refusal(SevenZip.data(list: list))?.code == .fileReadTooLarge)
            }
            // BCJ2: four streams into one, of which three would be held whole.
            let joined: [UInt8] = [4, 0x14, 3, 3, 1, 0x1B, 4, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6]
            let list = [1, 4] + SevenZip.streams(0, folder: joined, sizes: [10, 1 << 32, 1 << 32, 1 << 32]) + [0]
            #expect(try await refusal(SevenZip.data(list: list))?.code == .fileReadTooLarge)
        }

        @Test func `a list that is too long, or packed in itself, is refused`() async throws {
            let long = [0x17] + SevenZip.streams(10, folder: SevenZip.stored, sizes: [1 << 40], contents: [])
            #expect(
                try await refusal(SevenZip.data(packed: [UInt8](repeating: 0, count: 10), list: long))?.code
                    == .fileReadTooLarge)
            let twice = [0x17] + SevenZip.streams(1, folder: SevenZip.stored, sizes: [1], contents: [])
            #expect(try await refusal(SevenZip.packing(twice))?.code == .featureUnsupported)
        }

        @Test func `a list that makes no sense is damaged`() async throws {
            let list = SevenZip.list(files: 3)
            for count in 0..<list.count - 2 {
                let data = SevenZip.data(list: Array(list.prefix(count)) + [0xFF])
                let error = try #require(await refusal(data))
                #expect([.fileReadCorruptFile, .featureUnsupported].contains(error.code))
            }
        }

        @Test(arguments: [false, true])
        func `a map of millions of holes is refused in one sentence`(isPacked: Bool) async throws {
            let data = HandmadeTAR.sparse(holes: 3_000_000)
            let error = try #require(await refusal(isPacked ? HandmadeTAR.gzipped(data) : data))
            #expect(error.code == .fileReadTooLarge)
            #expect(
                error.sentence
                    == "The header of an entry in “/book.epub” has more than 2097152 bytes, which is the limit.")
        }

        @Test(arguments: [false, true])
        func `a map of some holes is none`(isPacked: Bool) async throws {
            let data = HandmadeTAR.sparse(holes: 1_000)
            let archive = try await PackedArchive.open(try CountingReader(isPacked ? HandmadeTAR.gzipped(data) : data))
            #expect(archive.entries.map(\.path) == ["a.jpg"])
        }

        @Test func `what lies between headers is no part of them`() async throws {
            var numbers = SeededNumbers(seed: 9)
            let files = (0..<3).map { PackedBuilder.File("\($0).jpg", numbers.bytes(5 << 20)) }
            for kind in [PackedBuilder.Kind.tar, .gzippedTar] {
                let archive = try await PackedArchive.open(try CountingReader(PackedBuilder.data(kind, files)))
                #expect(archive.entries.count == 3)
                #expect(try await archive.read(archive.entries[2]) == files[2].content)
            }
        }
    }
#endif
