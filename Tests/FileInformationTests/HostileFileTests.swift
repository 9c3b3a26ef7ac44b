#if Formats
    @testable import FileInformation
    import FileProviderCore
    import Foundation
    @testable import SampleBooks
    import ProviderDoubles
    import Testing

    /// Files that are damaged, or made to do harm: an error or a result, soon, and never a crash.
    @Suite(.serialized) struct HostileFileTests {
        private static let samples: [(name: String, data: Data)] = {
            let inner = (try? Picture.jpeg(160, 80)) ?? Data()
            let exif = ExifBuilder(orientation: 6, thumbnail: inner).data()
            return AudioTests.samples.map { ($0.name, $0.data) } + [
                ("a.jpg", (try? Picture.jpeg(320, 160, exif: exif)) ?? Data()),
                ("a.png", (try? Picture.png(120, 60, alpha: 9)) ?? Data()),
                ("e.png", (try? Picture.png(chunks: [("eXIf", exif)])) ?? Data()), ("a.webp", Picture.lossyWebP),
                ("b.webp", Picture.losslessWebP), ("e.webp", Picture.extendedWebP(exif: exif)),
                ("a.epub", (try? SampleBook.small(.epub2)) ?? Data()),
                ("a.cbz", (try? ZIPBuilder.data { try $0.add("1.jpg", inner) }) ?? Data()),
            ]
        }()

        /// Both questions. What they ask of the file is counted, since a file that makes it be read again and again
        /// takes time only where it lies far away; the time, for which milliseconds are usual, catches loops over what
        /// was read.
        private func ask(_ data: Data, _ name: String, requests: Int = 40) async throws {
            let start = ContinuousClock.now
            for question in [true, false] {
                let reader = try CountingReader(data, name)
                do {
                    if question { _ = try await reader.properties() } else { _ = try await reader.thumbnail(64) }
                } catch let error as CocoaError {
                    #expect(error.code != .fileReadUnknown, "\(name): \(error.sentence)")
                }
                #expect(
                    reader.bytes <= 2 * Int64(data.count) + 128 << 10, "\(name): \(reader.bytes) of \(data.count) bytes"
                )
                #expect(reader.requests.count <= requests, "\(name): \(reader.requests.count) requests")
            }
            #expect(ContinuousClock.now - start < .seconds(30), "\(name)")
        }

        @Test func `the samples are whole`() async throws {
            for (name, data) in Self.samples {
                #expect(!(try await CountingReader(data, name).properties()).isEmpty, "\(name)")
            }
        }

        @Test(arguments: samples.indices) func `a file may end anywhere`(_ index: Int) async throws {
            let (name, data) = Self.samples[index]
            for part in 0..<50 { try await ask(Data(data.prefix(data.count * part / 50)), name) }
        }

        @Test(arguments: samples.indices) func `bytes may be anything`(_ index: Int) async throws {
            let (name, data) = Self.samples[index]
            var numbers = SeededNumbers(seed: UInt64(index))
            for _ in 0..<200 {
                var damaged = data
                for _ in 0..<Int.random(in: 1...20, using: &numbers) {
                    damaged[Int.random(in: 0..<data.count, using: &numbers)] = UInt8.random(
                        in: 0...255, using: &numbers)
                }
                try await ask(damaged, name)
            }
        }

        @Test func `a size that is only claimed is not believed`() async throws {
            var jpeg = try Picture.jpeg()
            let frame = try #require(jpeg.firstRange(of: Data([0xFF, 0xC0])))
            jpeg.replaceSubrange(frame.lowerBound + 5..<frame.lowerBound + 9, with: big(65_000, 2) + big(65_000, 2))
            var png = try Picture.png()
            png.replaceSubrange(16..<24, with: big(100_000, 4) + big(100_000, 4))
            var webp = Picture.extendedWebP(exif: Data())
            webp.replaceSubrange(24..<30, with: little(16_000_000, 3) + little(16_000_000, 3))
            for (name, data) in [("a.jpg", jpeg), ("a.png", png), ("a.webp", webp)] {
                let code = await fileError { try await CountingReader(data, name).thumbnail() }
                #expect(code == .fileReadTooLarge || code == .fileReadCorruptFile, "\(name)")
                try await ask(data, name)
            }
        }

        @Test func `a progressive JPEG does not get to repeat itself for ever`() async throws {
            // 6,000 × 6,000 pixels and thousands of scans of nothing.
            let frame = Picture.segment(0xC2, Data([8]) + big(6000, 2) + big(6000, 2) + [1, 1, 0x11, 0])
            let scan = Picture.segment(0xDA, Data([1, 1, 0, 0, 0, 0])) + [0]
            let data =
                Data([0xFF, 0xD8]) + frame + (0..<3000).reduce(into: Data()) { data, _ in data += scan } + [0xFF, 0xD9]
            #expect(await fileError { try await CountingReader(data, "a.jpg").thumbnail() } == .fileReadTooLarge)
        }

        @Test func `texts of PNG are not unpacked to be thrown away`() async throws {
            // Each a zero, and then “258 bytes like the one before” (RFC 1951, section 3.2.6): 900 times 6 MB.
            var writer = BitWriter()
            writer.add([1, 1, 0])
            writer.add([0, 0, 1, 1, 0, 0, 0, 0])
            for _ in 0..<24_000 { writer.add([1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]) }
            let text = Data("k\0\0".utf8) + [0x78, 0x9C] + writer.bytes
            let named = Data("zTXt".utf8) + text
            let chunk = big(text.count, 4) + named + big(Int(Deflate.checksum(named)), 4)
            var data = try Picture.png()
            let pixels = data.dropFirst(33)
            data = data.prefix(33)
            for _ in 0..<900 { data += chunk }
            // Each chunk is passed over, so about one request for a few of them.
            try await ask(data + pixels, "a.png", requests: 300)
            #expect(try await CountingReader(data + pixels, "a.png").thumbnail().width == 80)
        }

        @Test func `pixels are not held for scans that do not come`() async throws {
            // 9,000 × 9,000 pixels of three colours, of which one scan has one.
            let components: [UInt8] = [1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]
            let frame = Picture.segment(0xC0, Data([8]) + big(9000, 2) + big(9000, 2) + [3] + components)
            let data =
                Data([0xFF, 0xD8]) + frame + Picture.segment(0xDA, Data([1, 1, 0, 0, 63, 0])) + Data(count: 64) + [
                    0xFF, 0xD9,
                ]
            #expect(await fileError { try await CountingReader(data, "a.jpg").thumbnail() } == .fileReadTooLarge)
        }

        @Test func `boxes in boxes in boxes end`() async throws {
            var data = Audio.box("ftyp", Data("M4A ".utf8) + big(0, 4))
            let depth = 200_000
            for level in 0..<depth { data += big((depth - level) * 8, 4) + Data("moov".utf8) }
            #expect(await fileError { try await CountingReader(data, "a.m4a").properties() } == .fileReadCorruptFile)
        }

        /// A frame of ID3v2.4 in its compressed form, of 1.6 MB, which holds a text of 250 MB.
        private static func bomb() -> Data {
            // A zero, and then “258 bytes like the one before” again and again, in the fixed code (RFC 1951, section
            // 3.2.6).
            var writer = BitWriter()
            writer.add([1, 1, 0])
            writer.add([0, 0, 1, 1, 0, 0, 0, 0])
            for _ in 0..<1_000_000 { writer.add([1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]) }
            let packed = Data([0x78, 0x9C]) + writer.bytes
            return Data("TIT2".utf8) + size(packed.count + 4) + [0, 0x09] + (size(250 << 20) + packed)
        }

        private struct BitWriter {
            var bytes: [UInt8] = []
            private var used = 8

            mutating func add(_ bits: [UInt8]) {
                for bit in bits {
                    if used == 8 {
                        bytes.append(0)
                        used = 0
                    }
                    bytes[bytes.count - 1] |= bit << used
                    used += 1
                }
            }
        }

        private static func size(_ count: Int) -> Data {
            Data((0..<4).map { UInt8(truncatingIfNeeded: count >> (7 * (3 - $0))) & 0x7F })
        }

        /// In a process of its own, whose memory nobody else uses.
        @Test func `a tag that would unpack to a hundred times its size is not unpacked`() async {
            await #expect(processExitsWith: .success) {
                let bomb = Self.bomb()
                let inner = Data("c\0".utf8) + Data(count: 16) + bomb
                let chapter = Data("CHAP".utf8) + Self.size(inner.count) + [0, 0] + inner
                let before = try Self.residentBytes()
                let alone = await fileError {
                    try await CountingReader(Audio.mp3(tag: Audio.id3(bomb, version: 4)), "a.mp3").properties()
                }
                #expect(alone == .fileReadCorruptFile)
                let inside = try await CountingReader(Audio.mp3(tag: Audio.id3(chapter, version: 4)), "a.mp3")
                    .properties()
                #expect(inside["title"] == nil && inside["channels"] == 2)
                let more = try Self.residentBytes() - before
                #expect(more < 100 << 20, "\(more >> 20) MiB")
            }
        }

        /// The most that this process ever had.
        private static func residentBytes() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            return (line.split(separator: " ").compactMap { Int($0) }.first ?? 0) * 1024
        }

        @Test func `a file with another name is refused with a sentence`() async throws {
            for name in ["a.jpg", "a.mp3", "a.flac", "a.ogg", "a.m4a", "a.epub", "a.cbz"] {
                for data in [
                    Data(), Data("Once upon a time there was a lamp.".utf8), Data(repeating: 0xFF, count: 100_000),
                ] {
                    let code = await fileError { try await CountingReader(data, name).properties() }
                    #expect(
                        code == .fileReadCorruptFile || code == .featureUnsupported,
                        "\(name), \(data.count) bytes: \(String(describing: code))")
                }
            }
        }
    }
#endif
