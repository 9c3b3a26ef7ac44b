import FileProviderCore
import Foundation
import Synchronization

/// One file of a provider, opened at the first access and kept open until it is closed or let go.
final class ProviderResource: Resource {
    let link: Link
    private let paths: [ProviderPath]
    private let provider: any FileProviderReadWrite
    private let readers: OpenReaders
    private let opened = Mutex<(any FileReader)?>(nil)

    /// - Parameter paths: Where the file may lie; the first that exists is read.
    init(_ link: Link, paths: [ProviderPath], provider: any FileProviderReadWrite, readers: OpenReaders) {
        self.link = link
        self.paths = paths
        self.provider = provider
        self.readers = readers
    }

    func length() async throws(ResourceError) -> Int64 {
        try await withReader { try await $0.attributes().size }
    }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws(ResourceError) {
        let part = range.map { FilePart.range(max(0, $0.lowerBound)..<max(0, $0.upperBound)) } ?? .whole
        _ = try await withReader { reader in
            if case .range(let range) = part, range.isEmpty {
                let size = try await reader.attributes().size
                try await sink.take(Data(), extent: FileExtent(offset: min(range.lowerBound, size), count: 0, size: size))
            } else {
                _ = try await reader.stream(part, into: sink)
            }
        }
    }

    func close() async {
        let reader = opened.withLock { $0.take() }
        await reader?.close()
    }

    private func withReader<Value: Sendable>(
        _ body: (any FileReader) async throws -> Value
    ) async throws(ResourceError) -> Value {
        if readers.isClosed { throw .unavailable(closed()) }
        do {
            if let reader = opened.withLock({ $0 }) { return try await body(reader) }
            var missing: (any Error)?
            for path in paths {
                do {
                    return try await open(path, body)
                } catch let error where error.isNoSuchFile || error.isFolder {
                    missing = missing ?? error
                }
            }
            throw ResourceError.notFound(missing ?? FileError.make(.fileReadNoSuchFile, path: link.href))
        } catch {
            throw readers.isClosed ? .unavailable(error) : ResourceError(error)
        }
    }

    /// Opens the file at `path`, and keeps it open if `body` works: providers may find out at the first read that nothing is there.
    private func open<Value: Sendable>(_ path: ProviderPath, _ body: (any FileReader) async throws -> Value) async throws -> Value {
        let reader = try await provider.open(path: path)
        do {
            let value = try await body(reader)
            let isKept = opened.withLock { opened in
                guard opened == nil, readers.add(reader) else { return false }
                opened = reader
                return true
            }
            if !isKept { await reader.close() }
            return value
        } catch {
            await reader.close()
            throw error
        }
    }

    private func closed() -> CocoaError {
        FileError.make(.fileReadUnknown, path: link.href, sentence: "“\(link.href)”: the folder it was read from was closed.")
    }
}

extension Error {
    /// Whether a folder is where a file was looked for.
    fileprivate var isFolder: Bool { ((self as? CocoaError)?.underlying as? POSIXError)?.code == .EISDIR }
}

/// The readers that the resources of one fetcher hold open; they go with their resources.
final class OpenReaders: Sendable {
    private struct Held {
        weak var reader: (any FileReader)?
    }

    private let state = Mutex((isClosed: false, held: [Held]()))

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// - Returns: False when it is too late: the caller closes the reader.
    func add(_ reader: any FileReader) -> Bool {
        state.withLock { state in
            if state.isClosed { return false }
            if state.held.count > 64 { state.held.removeAll { $0.reader == nil } }
            state.held.append(Held(reader: reader))
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
