import FileProviderCore
import Foundation
import Synchronization

/// A file of any size of which only the start and the end are there: between them it repeats one byte. Counts what is asked of it.
final class SparseReader: FileReader {
    let path: ProviderPath
    let cost: Capabilities.ReadCost
    private let size: Int64
    private let head: Data
    private let tail: Data
    private let mimeType: String?
    private let state = Mutex((requests: [Range<Int64>](), closings: 0))

    init(
        _ head: Data, tail: Data = Data(), size: Int64 = 5_000_000_000, cost: Capabilities.ReadCost = .request, mimeType: String? = nil,
        name: String = "file"
    ) throws {
        self.head = head
        self.tail = tail
        self.size = size
        self.cost = cost
        self.mimeType = mimeType
        path = try ProviderPath(name)
    }

    /// The ranges asked for, in order.
    var requests: [Range<Int64>] { state.withLock { $0.requests } }

    var bytes: Int64 { requests.reduce(0) { $0 + Int64($1.count) } }

    var closings: Int { state.withLock { $0.closings } }

    func attributes() async throws -> FileReaderAttributes { FileReaderAttributes(size: size, mimeType: mimeType) }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let range = part.resolved(size: size)
        state.withLock { $0.requests.append(range) }
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size)
        try sink.begin(extent)
        guard range.count <= 64 << 20 else { throw CocoaError(.fileReadTooLarge) }
        var bytes = Data(repeating: 0x2E, count: range.count)
        lay(head, at: 0, into: &bytes, range)
        lay(tail, at: size - Int64(tail.count), into: &bytes, range)
        if !bytes.isEmpty { try await sink.send(bytes) }
        return extent
    }

    private func lay(_ piece: Data, at offset: Int64, into bytes: inout Data, _ range: Range<Int64>) {
        let common = (offset..<offset + Int64(piece.count)).clamped(to: range)
        guard !common.isEmpty else { return }
        let from = Int(common.lowerBound - offset)
        let into = Int(common.lowerBound - range.lowerBound)
        bytes.replaceSubrange(into..<into + common.count, with: piece.dropFirst(from).prefix(common.count))
    }

    func close() async { state.withLock { $0.closings += 1 } }
}

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

/// A provider's reading side that gives one and the same reader for every path.
final class OneReaderProvider: FileProviderReadWrite {
    static let type = "One reader"
    let reader: any FileReader

    init(_ reader: any FileReader) {
        self.reader = reader
    }

    var baseURL: URL? { nil }
    var debugDescription: String { Self.type }

    func open(path: ProviderPath) async throws -> any FileReader { reader }

    func capabilities() async throws -> Capabilities { Capabilities(readCost: reader.cost) }

    func attributesOfItem(path: ProviderPath) async throws -> FileObject { throw CocoaError(.featureUnsupported) }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        throw CocoaError(.featureUnsupported)
    }

    func url(of path: ProviderPath) -> URL { URL(filePath: path.string) }

    func relativePath(of url: URL) throws -> ProviderPath { throw CocoaError(.featureUnsupported) }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws -> FileObject {
        throw CocoaError(.featureUnsupported)
    }
}
