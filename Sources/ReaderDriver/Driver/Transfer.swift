import FileProviderCore
import Foundation

/// Fetches files from a device: streamed, limited in size, and ended if the storage stops answering.
struct Transfer: Sendable {
    let provider: any FileProvider
    let calls: CallLimit
    /// The most bytes of one file.
    let limit: Int64

    /// Streams the file at `path` into `sink`. A sink may pause the transfer for any time.
    func read(_ path: ProviderPath, into sink: any ByteSink, progress: @escaping DriverProgress = { _ in }) async throws
    {
        let tooLarge = FileError.make(
            .fileReadTooLarge, path: path, sentence: "“\(path)” is larger than \(limit) bytes, the limit for one file.")
        let counted = TappedSink(sink, limit: (limit, tooLarge))
        // No bytes arrive while the sink pauses.
        _ = try await calls.run("reading “\(path.name)”", life: { counted.isFull ? nil : counted.count }) {
            [provider] in
            try await FileCopy(path, of: provider, tap: ShareTap(progress)).read(into: counted)
        }
    }

    /// Fetches the file at `path` into the new local file `url`, which appears once it is complete.
    func fetch(
        _ path: ProviderPath, to url: URL, permissions: UInt32 = 0o600, progress: @escaping DriverProgress = { _ in }
    ) async throws {
        let target = try ProviderPath(url.standardizedFileURL.path)
        let staged = try await calls.run("making “\(target.name)”") {
            try await BlockingThreads.shared.run { try StagedFile(at: target, permissions: permissions) }
        }
        // The commit has no time limit: the disk may need time to flush, and half a commit can't be undone.
        try await staged.publish(overwrite: false) { try await read(path, into: $0, progress: progress) }
    }
}

/// Reports the share of a file that has arrived.
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
