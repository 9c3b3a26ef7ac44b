import FileProviderCore
import Foundation

/// A provider whose operations do what a test says.
final class StubProvider: FileProvider {
    static let type = "Stub"
    let baseURL = URL(string: "stub://user:secret@host/base/")
    private let operation: @Sendable (ProgressReporter) async throws -> Void

    init(_ operation: @escaping @Sendable (ProgressReporter) async throws -> Void = { _ in }) {
        self.operation = operation
    }

    func capabilities() async throws -> Capabilities { Capabilities(readCost: .local) }

    func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        try await operation(ProgressReporter())
        return FileObject(path: path, type: .regular)
    }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        try await page([FileObject(path: path.appending("a"), type: .regular)])
        try await operation(ProgressReporter())
    }

    func createFolder(path: ProviderPath) async throws { try await operation(ProgressReporter()) }

    func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try await operation(progress)
    }

    func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try await operation(progress)
    }

    /// Every file holds 100 bytes.
    func open(path: ProviderPath) async throws -> any FileReader {
        RangedFileReader(path: path, cost: .local) { part, _, sink in
            let range = part.resolved(size: 100)
            let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: 100)
            try sink.begin(extent)
            _ = try Data(repeating: 1, count: range.count).withUnsafeBytes { try sink.write($0) }
            return (extent, FileReaderAttributes(size: 100))
        }
    }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        let bytes = try source.bytes(from: 0)
        var buffer = [UInt8](repeating: 0, count: 16)
        var size: Int64 = 0
        while case .bytes(let count) = try buffer.withUnsafeMutableBytes({ try bytes.read(into: $0) }) {
            size += Int64(count)
        }
        return FileObject(path: path, type: .regular, size: size)
    }
}

/// Something that one side waits for and the other lets happen.
final class Signal: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func fire() { continuation.finish() }

    /// - Throws: `CancellationError` when the task is cancelled first.
    func wait() async throws {
        for await _ in stream {}
        try Task.checkCancellation()
    }
}
