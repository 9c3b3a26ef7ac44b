import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Synchronization

@testable import Shelf

/// A shelf of `/books` in a storage in memory, with what it reports.
final class ShelfBench: Sendable {
    let storage: CountedStorage
    let folder: URL
    private let temporary: TemporaryFolder
    private let events = CollectedValues<ShelfEvent>()

    init(cost: Capabilities.ReadCost = .local) throws {
        storage = CountedStorage(cost: cost)
        temporary = try TemporaryFolder()
        folder = temporary.url.appending(path: "shelf", directoryHint: .isDirectory)
    }

    var memory: any FileProvider { storage.memory }
    var source: ShelfSource { get throws { ShelfSource(provider: storage, root: try ProviderPath("books")) } }

    /// Options that report to this bench and watch closely.
    func options(_ change: (inout ShelfOptions) -> Void = { _ in }) -> ShelfOptions {
        var options = ShelfOptions()
        options.watch = WatchOptions(minInterval: 0.05, maxInterval: 0.2)
        options.report = { [events] in events.append($0) }
        change(&options)
        return options
    }

    func open(_ sources: [ShelfSource]? = nil, _ options: ShelfOptions? = nil) async throws -> Shelf {
        try await Shelf.open(folder: folder, sources: sources ?? [source], options: options ?? self.options())
    }

    /// Opens the shelf, calls `body` and closes the shelf.
    @discardableResult
    func with<Value: Sendable>(
        _ sources: [ShelfSource]? = nil, _ options: ShelfOptions? = nil, body: (Shelf) async throws -> Value
    ) async throws -> Value {
        let shelf = try await open(sources, options)
        do {
            let value = try await body(shelf)
            try await shelf.close()
            return value
        } catch {
            try await shelf.close()
            throw error
        }
    }

    func put(_ path: String, _ data: Data) async throws {
        let path = try ProviderPath(path)
        try await memory.createFolderWithParents(path: path.parent ?? .root)
        try await memory.writeContents(path: path, contents: data, overwrite: true)
    }

    func move(_ path: String, to other: String) async throws {
        let target = try ProviderPath(other)
        try await memory.createFolderWithParents(path: target.parent ?? .root)
        try await memory.moveItem(path: ProviderPath(path), to: target)
    }

    func remove(_ path: String) async throws { try await memory.removeItem(path: ProviderPath(path)) }

    /// A line for each event.
    var lines: [String] { events.values.map(\.line) }

    var covers: Set<String> {
        get throws {
            Set(try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "covers").path))
        }
    }

    static func epub(_ title: String, cover: Data? = nil, files: [(String, Data)] = []) throws -> Data {
        try SampleEPUB(title: title, authors: [("Jane Austen", "Austen, Jane")], cover: cover, files: files).data()
    }
}

extension ShelfEvent {
    var line: String {
        switch self {
        case .added(let book): "added \(book.path): \(book.metadata.title.string)"
        case .changed(let book): "changed \(book.path): \(book.metadata.title.string)"
        case .moved(let book, let from): "moved \(from) -> \(book.path)"
        case .removed(_, let path): "removed \(path)"
        case .refused(let file): "refused \(file.path): \(file.sentence)"
        case .postponed(let path, let sentence): "postponed \(path): \(sentence)"
        case .interrupted(_, let sentence): "interrupted: \(sentence)"
        case .resumed: "resumed"
        case .withheld(_, let count): "withheld \(count)"
        }
    }
}

extension Shelf {
    /// The book at `path`; nil if there is none.
    func book(at path: String) async throws -> ShelfBook? {
        let path = try ProviderPath(path)
        return try await books(ShelfQuery(limit: 500)).books.first { $0.path == path }
    }

    /// The paths of all books, in order.
    var paths: [String] {
        get async throws { try await books(ShelfQuery(limit: 500)).books.map(\.path).sorted().map(\.string) }
    }
}
