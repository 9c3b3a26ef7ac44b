import FileProviderCore
import Foundation
import Synchronization

/// A file of a server that never answers; ends when its task is cancelled.
final class SilentReader: FileReader {
    let path = ProviderPath.root
    let cost = Capabilities.ReadCost.request
    private let state = Mutex((running: 0, begun: 0, closings: 0))

    /// Reads that have not ended.
    var running: Int { state.withLock { $0.running } }
    var begun: Int { state.withLock { $0.begun } }
    var closings: Int { state.withLock { $0.closings } }

    func attributes() async throws -> FileReaderAttributes {
        try await hang()
        return FileReaderAttributes(size: 0)
    }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        try await hang()
        return FileExtent(offset: 0, count: 0, size: 0)
    }

    private func hang() async throws {
        state.withLock { ($0.running, $0.begun) = ($0.running + 1, $0.begun + 1) }
        defer { state.withLock { $0.running -= 1 } }
        // Nobody waits for it: a cancelled task ends it at once.
        try await Task.sleep(for: .seconds(3600))
    }

    func close() async { state.withLock { $0.closings += 1 } }
}
