import FileProviderCore
import Synchronization

/// The readers that the resources of one fetcher hold open. A reader is removed with its resource.
final class OpenReaders: Sendable {
    private struct HeldReader {
        weak var reader: (any FileReader)?
    }

    private let state = Mutex((isClosed: false, held: [HeldReader]()))

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// - Returns: False if the fetcher is closed already; the caller then closes the reader.
    func add(_ reader: any FileReader) -> Bool {
        state.withLock { state in
            if state.isClosed { return false }
            if state.held.count > 64 { state.held.removeAll { $0.reader == nil } }
            state.held.append(HeldReader(reader: reader))
            return true
        }
    }

    func close() async {
        let readers = state.withLock { state in
            state.isClosed = true
            defer { state.held = [] }
            return state.held.compactMap(\.reader)
        }
        for reader in readers { await reader.close() }
    }
}
