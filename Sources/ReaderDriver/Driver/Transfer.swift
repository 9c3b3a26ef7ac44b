import FileProviderCore
import Foundation

/// Fetches files from a device: streamed, bounded in size, and ended where the storage stops answering.
struct Transfer: Sendable {
    let provider: any FileProvider
    let calls: CallLimit
    /// The most bytes of one file.
    let limit: Int64

    /// Streams the file at `path` into `sink`; a sink that has enough for now holds this up as long as it likes.
    func read(_ path: ProviderPath, into sink: any ByteSink, progress: @escaping DriverProgress = { _ in }) async throws
    {
        let tooLarge = FileError.make(
            .fileReadTooLarge, path: path, sentence: "“\(path)” has more than the \(limit) bytes that it may have.")
        let counted = TappedSink(sink, limit: (limit, tooLarge))
        // No bytes come while it is the sink that is waited for.
        _ = try await calls.run("reading “\(path.name)”", life: { counted.isFull ? nil : counted.count }) {
            [provider] in
            try await FileCopy(path, of: provider, tap: ShareTap(progress)).read(into: counted)
        }
    }

    /// Fetches the file at `path` into the local file `url`, which appears when it is whole and must not be there.
    func fetch(
        _ path: ProviderPath, to url: URL, permissions: UInt32 = 0o600, progress: @escaping DriverProgress = { _ in }
    ) async throws {
        let target = try ProviderPath(url.standardizedFileURL.path)
        let staged = try await calls.run("making “\(target.name)”") {
            try await BlockingThreads.shared.run { try StagedFile(at: target, permissions: permissions) }
        }
        // The commit has no limit: the disk may take its time with what it holds back, and half a commit cannot be
        // undone.
        try await staged.publish(overwrite: false) { try await read(path, into: $0, progress: progress) }
    }
}

/// Tells which part of a file has come.
private final class ShareTap: CopyTap {
    private let progress: DriverProgress
    private let state = LockedValue((count: Int64(0), size: Int64(-1)))

    init(_ progress: @escaping DriverProgress) { self.progress = progress }

    func begin(_ extent: FileExtent) { state.update { $0.size = extent.size } }

    func pass(_ bytes: UnsafeRawBufferPointer) -> FlowState {
        let (count, size) = state.update { state in
            state.count += Int64(bytes.count)
            return state
        }
        if size > 0 { progress(min(1, Double(count) / Double(size))) }
        return .ready
    }
}
