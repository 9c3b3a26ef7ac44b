import FileProviderCore
import Foundation
import Synchronization

/// A sink that has enough after each piece, and counts what comes.
final class ReluctantSink: ByteSink {
    private let state = Mutex((data: Data(), begun: 0, waits: 0))

    var data: Data { state.withLock { $0.data } }
    var begun: Int { state.withLock { $0.begun } }
    var waits: Int { state.withLock { $0.waits } }

    func begin(_ extent: FileExtent) throws { state.withLock { $0.begun += 1 } }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        state.withLock { $0.data.append(contentsOf: bytes) }
        return .wait
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) {
        state.withLock { $0.waits += 1 }
        Task { resume() }
    }
}

/// The real books, which are no part of the package: in `$CARREL_CORPUS`, else in `../shared/corpus` beside it.
enum BookCorpus {
    static let books: [URL] = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let usual = package.deletingLastPathComponent().appending(path: "shared/corpus", directoryHint: .isDirectory)
        let root = ProcessInfo.processInfo.environment["CARREL_CORPUS"].map { URL(filePath: $0) } ?? usual
        let files = try? FileManager.default.contentsOfDirectory(
            at: root.appending(path: "epub"), includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "epub" }.sorted { $0.path < $1.path }
    }()
}

/// The error that `body` throws, as Foundation's file error.
func fileError(_ body: () async throws -> Void) async -> CocoaError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? CocoaError)?.code ?? CocoaError.Code(rawValue: -1)
    }
}
