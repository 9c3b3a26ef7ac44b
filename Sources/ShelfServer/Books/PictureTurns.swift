import FileProviderCore

/// Admits a few pictures at once: to being read those of each source, so that no reader waits for another source's slow
/// storage, and to being scaled those of all sources.
///
/// A page is in memory from the start of its reading. However many sources there are, no more pages are than four sources
/// may read.
final class PictureTurns: Sendable {
    /// Admits pictures to being scaled.
    let scaling: Turns
    private let count: Int
    private let memory: Turns
    private let sources = LockedValue<[Int64: Turns]>([:])

    init(_ count: Int) {
        self.count = count
        scaling = Turns(count)
        memory = Turns(4 * count)
    }

    /// Runs `body`, which has one picture of a source in memory.
    ///
    /// - Throws: The error of `body`; `CancellationError`, before `body` runs.
    func read<Value: Sendable>(of source: Int64, _ body: () async throws -> Value) async throws -> Value {
        try await reading(of: source).take { try await memory.take(body) }
    }

    private func reading(of source: Int64) -> Turns {
        sources.update { sources in
            let turns = sources[source] ?? Turns(count)
            sources[source] = turns
            return turns
        }
    }
}
