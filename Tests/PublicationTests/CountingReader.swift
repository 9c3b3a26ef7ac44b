import FileProviderCore
import Foundation
import Synchronization

/// A file in memory that counts what is asked of it, and fails when it is told to.
final class CountingReader: FileReader {
    /// What goes wrong.
    enum Fault: Sendable {
        case none
        /// Every request from this one on, counted from 0, fails with a lost connection.
        case lost(from: Int)
        /// Every request but the first delivers half of its bytes and claims to be done.
        case short
    }

    let path: ProviderPath
    let cost: Capabilities.ReadCost
    private let data: Data
    private let fault: Fault
    /// How long each request but the first takes.
    private let pause: Duration
    private let state = Mutex((requests: [Range<Int64>](), sizeRequests: 0, isClosed: false))

    init(
        _ data: Data, cost: Capabilities.ReadCost = .request, fault: Fault = .none, pause: Duration = .zero, name: String = "book.epub"
    ) throws {
        self.data = data
        self.cost = cost
        self.fault = fault
        self.pause = pause
        path = try ProviderPath(name)
    }

    /// The ranges asked for, in order.
    var requests: [Range<Int64>] { state.withLock { $0.requests } }

    /// Bytes asked for.
    var bytes: Int64 { requests.reduce(0) { $0 + Int64($1.count) } }

    /// How often the size was asked for before any read had told it.
    var sizeRequests: Int { state.withLock { $0.sizeRequests } }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func attributes() async throws -> FileReaderAttributes {
        state.withLock { if $0.requests.isEmpty { $0.sizeRequests += 1 } }
        return FileReaderAttributes(size: Int64(data.count))
    }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        var range = part.resolved(size: Int64(data.count))
        let index = state.withLock { state in
            state.requests.append(range)
            return state.requests.count - 1
        }
        if isClosed { throw FileError.make(.fileReadUnknown, path: path) }
        if case .lost(let first) = fault, index >= first {
            throw FileError.make(URLError.Code.networkConnectionLost, url: nil, sentence: "The connection was lost.")
        }
        if case .short = fault, index > 0 { range = range.lowerBound..<range.lowerBound + Int64(range.count / 2) }
        if pause > .zero, index > 0 { try await Task.sleep(for: pause) }
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: Int64(data.count))
        try sink.begin(extent)
        try await send(range, into: sink)
        return extent
    }

    private func send(_ range: Range<Int64>, into sink: any ByteSink) async throws {
        // An odd size, so that pieces end within headers too.
        for start in stride(from: Int(range.lowerBound), to: Int(range.upperBound), by: 16_381) {
            try Task.checkCancellation()
            let piece = data[start..<min(start + 16_381, Int(range.upperBound))]
            if try piece.withUnsafeBytes({ try sink.write($0) }) == .wait { try await sink.waitUntilReady() }
        }
    }

    func close() async { state.withLock { $0.isClosed = true } }
}

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
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let usual = package.deletingLastPathComponent().appending(path: "shared/corpus", directoryHint: .isDirectory)
        let root = ProcessInfo.processInfo.environment["CARREL_CORPUS"].map { URL(filePath: $0) } ?? usual
        let files = try? FileManager.default.contentsOfDirectory(at: root.appending(path: "epub"), includingPropertiesForKeys: nil)
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
