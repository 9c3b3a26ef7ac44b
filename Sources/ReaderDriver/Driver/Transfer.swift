import FileProviderCore
import Foundation

/// Fetches files from a device: streamed, bounded in size, and ended where the storage stops answering.
struct Transfer: Sendable {
    let provider: any FileProvider
    let calls: CallLimit
    /// The most bytes of one file.
    let limit: Int64

    /// Streams the file at `path` into `sink`; a sink that has enough for now holds this up as long as it likes.
    func read(_ path: ProviderPath, into sink: any ByteSink, progress: @escaping DriverProgress = { _ in }) async throws {
        let counting = CountedSink(sink, path: path, limit: limit, progress: progress)
        _ = try await calls.run("reading “\(path.name)”", life: { counting.life }) { [provider] in
            try await FileCopy(path, of: provider).read(into: counting)
        }
    }

    /// Fetches the file at `path` into the local file `url`, which appears when it is whole and must not be there.
    func fetch(
        _ path: ProviderPath, to url: URL, permissions: UInt32 = 0o600, progress: @escaping DriverProgress = { _ in }
    ) async throws {
        let target = try ProviderPath(url.standardizedFileURL.path)
        let staged = try await stage(target, permissions)
        do {
            try await read(path, into: staged.sink, progress: progress)
            // Without a limit: the disk may take its time with what it holds back, and half a commit cannot be undone.
            try await BlockingThreads.shared.run { try staged.commit(overwrite: false) }
        } catch {
            await BlockingThreads.shared.discard(staged)
            throw error
        }
    }
}

extension Transfer {
    private func stage(_ target: ProviderPath, _ permissions: UInt32) async throws -> StagedFile {
        try await calls.run("making “\(target.name)”") {
            try await BlockingThreads.shared.run {
                let folder = try FileDescriptor(path: (target.parent ?? .root).string, flags: O_RDONLY | O_DIRECTORY)
                return try StagedFile(in: folder, target: target, permissions: permissions)
            }
        }
    }
}

/// Passes bytes on up to a limit, and tells whether they come.
private final class CountedSink: ByteSink {
    private struct State: Sendable {
        var count: Int64 = 0
        var size: Int64 = -1
        var isFull = false
    }

    private let base: any ByteSink
    private let path: ProviderPath
    private let limit: Int64
    private let progress: DriverProgress
    private let state = Locked(State())

    init(_ base: any ByteSink, path: ProviderPath, limit: Int64, progress: @escaping DriverProgress) {
        self.base = base
        self.path = path
        self.limit = limit
        self.progress = progress
    }

    /// Bytes so far; nil while it is the sink below that is waited for.
    var life: Int64? { state.update { $0.isFull ? nil : $0.count } }

    func begin(_ extent: FileExtent) throws {
        if extent.size > limit { throw tooLarge() }
        state.update { $0.size = extent.size }
        try base.begin(extent)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let (count, size) = state.update { state in
            state.count += Int64(bytes.count)
            return (state.count, state.size)
        }
        if count > limit { throw tooLarge() }
        let flow = try base.write(bytes)
        if flow == .wait { state.update { $0.isFull = true } }
        if size > 0 { progress(min(1, Double(count) / Double(size))) }
        return flow
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) {
        base.whenReady { [state] in
            state.update { $0.isFull = false }
            resume()
        }
    }

    private func tooLarge() -> CocoaError {
        FileError.make(.fileReadTooLarge, path: path, sentence: "“\(path)” has more than the \(limit) bytes that it may have.")
    }
}
