import Carrel
import Foundation
import Synchronization

/// A storage that counts what is read of it, and loses its connection, refuses the login or is slow on demand.
final class CountingProvider: FileProviderReadWrite {
    private struct State {
        var opened = 0
        var bytes: Int64 = 0
        var isAway = false
        var isRefusing = false
        var isSlow = false
    }

    static let type = "Counting"
    let memory = MemoryFileProvider()
    private let state = Mutex(State())

    var opened: Int { state.withLock { $0.opened } }
    var bytes: Int64 { state.withLock { $0.bytes } }
    /// Whether files cannot be opened.
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }
    /// Whether every login is refused.
    func setRefusing(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }
    /// Whether a listing takes until files were opened twice meanwhile.
    func setSlow(_ isSlow: Bool) { state.withLock { $0.isSlow = isSlow } }
    func count(_ bytes: Int64) { state.withLock { $0.bytes += bytes } }

    private func enter() throws {
        if state.withLock({ $0.isRefusing }) {
            throw FileError.make(.userAuthenticationRequired, url: nil, sentence: "The login was refused.")
        }
    }

    var baseURL: URL? { memory.baseURL }
    func capabilities() async throws -> Capabilities { try await memory.capabilities() }

    func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        try enter()
        return try await memory.attributesOfItem(path: path)
    }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        try enter()
        let before = opened
        while state.withLock({ $0.isSlow && $0.opened < before + 2 }) { try await Task.sleep(for: .milliseconds(5)) }
        try await memory.contentsOfDirectory(path: path, page: page)
    }

    func open(path: ProviderPath) async throws -> any FileReader {
        try enter()
        let isAway = state.withLock { state in
            state.opened += 1
            return state.isAway
        }
        if isAway { throw FileError.make(.networkConnectionLost, url: nil, sentence: "The connection was lost.") }
        return CountingReader(try await memory.open(path: path), owner: self)
    }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        try await memory.writeContents(path: path, from: source, options: options)
    }
}

private final class CountingReader: FileReader {
    private let base: any FileReader
    private let owner: CountingProvider

    init(_ base: any FileReader, owner: CountingProvider) {
        self.base = base
        self.owner = owner
    }

    var path: ProviderPath { base.path }
    var cost: Capabilities.ReadCost { base.cost }
    func attributes() async throws -> FileReaderAttributes { try await base.attributes() }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let extent = try await base.stream(part, into: sink)
        owner.count(extent.count)
        return extent
    }
}
