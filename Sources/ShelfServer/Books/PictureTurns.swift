import FileProviderCore

/// Admits a few pictures at once: to being read those of each source, so that no reader waits for another source's slow
/// storage, and to being scaled those of all sources.
final class PictureTurns: Sendable {
    /// Admits pictures to being scaled.
    let scaling: Turns
    private let count: Int
    private let sources = LockedValue<[Int64: Turns]>([:])

    init(_ count: Int) {
        self.count = count
        scaling = Turns(count)
    }

    /// Returns what admits pictures of a source to being read.
    func reading(of source: Int64) -> Turns {
        sources.update { sources in
            let turns = sources[source] ?? Turns(count)
            sources[source] = turns
            return turns
        }
    }
}
