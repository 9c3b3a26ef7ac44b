#if Formats
    @testable import FileInformation
    import FileProviderCore
    import Foundation
    import ProviderDoubles
    import Testing

    @Suite struct AudioTests {
        struct Sample: Sendable, CustomTestStringConvertible {
            let name: String
            let data: Data
            var testDescription: String { name }
        }

        static let samples = [
            Sample(name: "a.mp3", data: Audio.mp3()), Sample(name: "a.flac", data: Audio.flac()),
            Sample(name: "a.ogg", data: Audio.vorbis()), Sample(name: "a.opus", data: Audio.opus()),
            Sample(name: "a.m4a", data: Audio.m4a()), Sample(name: "b.m4a", data: Audio.m4a(descriptionLast: true)),
        ]

        @Test(arguments: samples) func `tags of every format come under the same names`(_ sample: Sample) async throws {
            let properties = try await CountingReader(sample.data, sample.name).properties()
            #expect(properties["title"] == "Lamp")
            #expect(properties["artist"] == "Carrel" || properties["artist"] == ["Carrel", "Desk"])
            #expect(properties["trackNumber"] == 3 && properties["trackCount"] == 12)
            #expect(properties["year"] == 2024 && properties["genre"] == "Speech")
            #expect(properties["channels"] == 2)
            #expect(properties.keys.first == "title")
        }

        @Test(arguments: [
            ("a.flac", Audio.flac()), ("a.ogg", Audio.vorbis()), ("a.opus", Audio.opus()), ("a.m4a", Audio.m4a()),
        ])
        func `the length is in seconds`(_ name: String, _ data: Data) async throws {
            let duration = try await CountingReader(data, name).properties()["duration"]
            #expect(duration == .double(10), "\(name): \(duration?.description ?? "none")")
        }

        @Test func `rates are in hertz and in bits a second`() async throws {
            let properties = try await CountingReader(Audio.mp3(frames: 400), "a.mp3").properties()
            #expect(properties["sampleRate"] == 44_100 && properties["bitRate"] == 128_000)
            guard case .double(let duration) = properties["duration"] else { Issue.record("no duration"); return }
            #expect(abs(duration - 400 * 1152 / 44_100) < 0.3)
        }

        @Test(arguments: [
            ("a.mp3", Audio.mp3(frames: 125_000)), ("a.flac", Audio.flac(audio: 50 << 20)),
            ("a.ogg", Audio.vorbis(audio: 50 << 20)),
            ("a.m4a", Audio.m4a(audio: 50 << 20)), ("b.m4a", Audio.m4a(audio: 50 << 20, descriptionLast: true)),
        ])
        func `tags of 50 MB cost half a megabyte at most`(_ name: String, _ data: Data) async throws {
            #expect(data.count > 50_000_000)
            let reader = try CountingReader(data, name)
            #expect(try await reader.properties()["title"] == "Lamp")
            #expect(reader.bytes <= 512 << 10, "\(name): \(reader.bytes) bytes in \(reader.requests.count) requests")
            #expect(reader.requests.count <= 30, "\(name): \(reader.requests.count) requests")
        }

        @Test func `cancelling ends a read that the parser waits for`() async throws {
            let isHeld = AsyncStream.makeStream(of: Void.self)
            let reader = try CountingReader(Audio.flac(), "a.flac") {
                isHeld.continuation.yield()
                try await Task.sleep(for: .seconds(600))
            }
            let start = ContinuousClock.now
            let task = Task { try await reader.properties() }
            for await _ in isHeld.stream { break }
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
            #expect(ContinuousClock.now - start < .seconds(60))
        }

        @Test func `an error of the storage is the error of the call`() async throws {
            let reader = try CountingReader(Audio.flac(), "a.flac") { throw URLError(.networkConnectionLost) }
            await #expect(throws: URLError.self) { try await reader.properties() }
        }
    }
#endif
