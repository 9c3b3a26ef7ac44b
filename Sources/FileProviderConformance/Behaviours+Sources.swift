import FileProviderCore
import Foundation

extension Behaviour {
    /// Writing from sources that pause, fail, lie or stall.
    static let sources: [Behaviour] = giving + failing + cancelling

    private static let giving: [Behaviour] = [
        Behaviour("A source that makes pauses is waited for", .ability(.writing)) { trial in
            let data = Pattern.data(200_000)
            try await trial.writeScript(ScriptedSource(data, length: 200_000, pauses: true))
            try await trial.expectBytes(data, at: try trial.at("file"), when: "A write from a source that makes pauses")
        },
        Behaviour("A source of unknown length arrives in full", .ability(.writing), .ability(.streamedWriting)) {
            trial in
            let data = Pattern.data(200_000)
            try await trial.writeScript(ScriptedSource(data, length: nil, pauses: true))
            try await trial.expectBytes(data, at: try trial.at("file"), when: "A write from a source of unknown length")
        },
        Behaviour(
            "An empty source of unknown length makes an empty file", .ability(.writing), .ability(.streamedWriting)
        ) { trial in
            try await trial.writeScript(ScriptedSource(Data(), length: nil))
            try await trial.expectBytes(Data(), at: try trial.at("file"), when: "A write from an empty source")
        },
        Behaviour(
            "A sequence that can be read only once arrives in full", .ability(.writing), .ability(.streamedWriting)
        ) { trial in
            let (stream, end) = AsyncStream<Data>.makeStream()
            for seed in 1...20 { end.yield(Pattern.data(7001, seed: UInt64(seed))) }
            end.finish()
            let path = try trial.at("file")
            try await trial.provider.writeContents(path: path, from: SequenceSource(stream), options: WriteOptions())
            let all = (1...20).reduce(Data()) { $0 + Pattern.data(7001, seed: UInt64($1)) }
            try await trial.expectBytes(all, at: path, when: "A write from a sequence")
        },
        Behaviour("A file can be the source of another", .ability(.writing)) { trial in
            let data = Pattern.data(300_000)
            let path = try await trial.write("one", data)
            let target = try trial.at("two")
            try await trial.provider.withReader(path: path) { reader in
                _ = try await trial.provider.writeContents(
                    path: target, from: ReaderSource(reader, length: 300_000), options: WriteOptions())
            }
            try await trial.expectBytes(data, at: target, when: "A write from a reader of the same provider")
        },
    ]

    private static let failing: [Behaviour] = [
        Behaviour("A source that fails leaves nothing, and its error arrives", .ability(.writing)) { trial in
            try await expectFailure("Writing from a source that fails", .deliberate) {
                try await trial.writeScript(ScriptedSource(Pattern.data(50_000), length: 100_000, ending: .failure))
            }
            try await trial.expectNames([], when: "After a write whose source failed")
        },
        Behaviour("A source that fails at once leaves nothing", .ability(.writing)) { trial in
            try await expectFailure("Writing from a source that fails at once", .deliberate) {
                try await trial.writeScript(ScriptedSource(Data(), length: 100_000, ending: .failure))
            }
            try await trial.expectNames([], when: "After a write whose source failed at once")
        },
        Behaviour("A source that fails keeps the old file", .ability(.writing), .ability(.atomicReplacement)) { trial in
            try await trial.expectOldFileKept("a write whose source failed", refusal: .deliberate) {
                ScriptedSource(Pattern.data(50_000, seed: 2), length: 100_000, ending: .failure)
            }
        },
        Behaviour("A source shorter than it said fails and leaves nothing", .ability(.writing)) { trial in
            try await expectFailure("Writing from a source that is shorter than it said") {
                try await trial.writeScript(ScriptedSource(Pattern.data(600), length: 1000))
            }
            try await trial.expectNames([], when: "After a write from a source shorter than it said")
        },
        Behaviour("A source longer than it said fails and leaves nothing", .ability(.writing)) { trial in
            try await expectFailure("Writing from a source that is longer than it said") {
                try await trial.writeScript(ScriptedSource(Pattern.data(1000), length: 600))
            }
            try await trial.expectNames([], when: "After a write from a source longer than it said")
        },
        Behaviour(
            "A source of another length than it said keeps the old file", .ability(.writing),
            .ability(.atomicReplacement)
        ) { trial in
            try await trial.expectOldFileKept("a write whose source was shorter than it said", refusal: .any) {
                ScriptedSource(Pattern.data(600, seed: 2), length: 1000)
            }
        },
    ]

    private static let cancelling: [Behaviour] = [
        Behaviour("A cancelled write ends, and leaves nothing", .ability(.writing)) { trial in
            try await trial.cancelWrite(ScriptedSource(Pattern.data(8192), length: 64 << 20, ending: .endless))
            try await trial.expectNames([], when: "After a cancelled write")
        },
        Behaviour("A cancelled write ends although its source has stalled", .ability(.writing)) { trial in
            try await trial.cancelWrite(ScriptedSource(Pattern.data(8192), length: 100_000, ending: .stall))
            try await trial.expectNames([], when: "After a cancelled write whose source had stalled")
        },
        Behaviour("A cancelled write keeps the old file", .ability(.writing), .ability(.atomicReplacement)) { trial in
            let path = try await trial.write("file", Pattern.data(3000))
            try await trial.cancelWrite(ScriptedSource(Pattern.data(8192, seed: 2), length: 64 << 20, ending: .endless))
            try await trial.expectNames(["file"], when: "After a cancelled write")
            try await trial.expectBytes(Pattern.data(3000), at: path, when: "After a cancelled write")
        },
    ]
}

extension Trial {
    /// Writes `file` from `source`.
    fileprivate func writeScript(_ source: ScriptedSource, overwrite: Bool = false) async throws {
        try await provider.writeContents(
            path: try at("file"), from: source, options: WriteOptions(overwrite: overwrite))
    }

    fileprivate func cancelWrite(_ source: ScriptedSource) async throws {
        let writing = Task { try await writeScript(source, overwrite: true) }
        try await withTaskCancellationHandler {
            defer { source.released.fire() }
            await source.reached.wait()
            writing.cancel()
            try await expectFailure("Cancelling a write", .cancelled) { try await writing.value }
        } onCancel: {
            // The time is up: a provider that ignored the cancellation gets an error now.
            source.released.fire()
        }
    }

    fileprivate func expectOldFileKept(_ what: String, refusal: Refusal, _ source: () -> ScriptedSource) async throws {
        let path = try await write("file", Pattern.data(3000))
        try await expectFailure("An overwriting write", refusal) { try await writeScript(source(), overwrite: true) }
        try await expectNames(["file"], when: "After \(what)")
        try await expectBytes(Pattern.data(3000), at: path, when: "After \(what)")
    }
}
