import Carrel
import Foundation
import Synchronization

/// A storage that counts what is read of it, and loses its connection when it is told to.
final class CountingProvider: FileProviderReadWrite {
    static let type = "Counting"
    let memory = MemoryFileProvider()
    private let counts = Mutex((opened: 0, bytes: Int64(0), isAway: false))

    var opened: Int { counts.withLock { $0.opened } }
    var bytes: Int64 { counts.withLock { $0.bytes } }
    func setAway(_ isAway: Bool) { counts.withLock { $0.isAway = isAway } }
    func count(_ bytes: Int64) { counts.withLock { $0.bytes += bytes } }

    var baseURL: URL? { memory.baseURL }
    func capabilities() async throws -> Capabilities { try await memory.capabilities() }
    func attributesOfItem(path: ProviderPath) async throws -> FileObject { try await memory.attributesOfItem(path: path) }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        try await memory.contentsOfDirectory(path: path, page: page)
    }

    func open(path: ProviderPath) async throws -> any FileReader {
        let isAway = counts.withLock { counts in
            counts.opened += 1
            return counts.isAway
        }
        if isAway { throw FileError.make(.networkConnectionLost, url: nil, sentence: "The connection was lost.") }
        return CountingReader(try await memory.open(path: path), owner: self)
    }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws -> FileObject {
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
