import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Synchronization

import Archives
import MediaTypes
import Publication
import PublicationCache

/// A medium in memory that counts what it is asked, changes and goes away when it is told to.
final class CountedMedium: Fetcher {
    struct Request: Hashable {
        let href: String
        let range: Range<Int64>
    }

    struct Item: Sendable {
        var data: Data
        /// Nil for a medium that tells a length only.
        var tag: String?
    }

    struct State: Sendable {
        var items: [String: Item] = [:]
        var requests: [Request] = []
        var questions = 0
        var isOffline = false
        var isClosed = false
        /// Whether resources read what is there now, as a server does that knows no versions.
        var isCareless = false
        /// Called after each piece that is sent, with its number.
        var afterPiece: (@Sendable (Int) async throws -> Void)?
    }

    let state: Mutex<State>

    init(_ items: [String: Data], tag: String? = "1") {
        state = Mutex(State(items: items.mapValues { Item(data: $0, tag: tag) }))
    }

    var requests: [Request] { state.withLock { $0.requests } }
    var questions: Int { state.withLock { $0.questions } }

    func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    func links() async throws -> [Link] {
        try state.withLock { state in
            if state.isOffline { throw Self.lost }
            return state.items.sorted { $0.key < $1.key }.map { name, item in
                var link = Link(href: name)
                link.size = Int64(item.data.count)
                return link
            }
        }
    }

    func get(_ link: Link) -> any Resource {
        var link = link
        if link.href.hasPrefix("/") { link.href.removeFirst() }
        return MediumResource(link, medium: self)
    }

    func close() async { state.withLock { $0.isClosed = true } }

    static let lost = FileError.make(
        URLError.Code.networkConnectionLost, url: nil, sentence: "The connection was lost.")
}

private final class MediumResource: Resource {
    let link: Link
    private let medium: CountedMedium
    private let first = Mutex<CountedMedium.Item?>(nil)

    init(_ link: Link, medium: CountedMedium) {
        self.link = link
        self.medium = medium
    }

    /// As it was at the first access; an error once it has changed.
    private func item() throws -> CountedMedium.Item {
        let (item, isOffline, isCareless) = medium.state.withLock { ($0.items[link.href], $0.isOffline, $0.isCareless) }
        if isOffline { throw CountedMedium.lost }
        guard let item else { throw FileError.make(.fileReadNoSuchFile, path: link.href) }
        if isCareless { return item }
        let before = first.withLock { first in
            first = first ?? item
            return first ?? item
        }
        guard before.tag == item.tag, before.data.count == item.data.count else {
            throw FileError.changedWhileReading(.root)
        }
        return item
    }

    func length() async throws -> Int64 { Int64(try item().data.count) }

    func validator() async throws -> ResourceValidator? {
        medium.change { $0.questions += 1 }
        let item = try item()
        return item.tag.map { ResourceValidator(length: Int64(item.data.count), tag: $0) }
    }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        let data = try item().data
        let range = (range ?? 0..<Int64(data.count)).clamped(to: 0..<Int64(data.count))
        medium.change { $0.requests.append(.init(href: link.href, range: range)) }
        try sink.begin(FileExtent(offset: range.lowerBound, count: Int64(range.count), size: Int64(data.count)))
        // An odd size, so that pieces end within blocks.
        for (index, start) in stride(from: Int(range.lowerBound), to: Int(range.upperBound), by: 100_003).enumerated() {
            try Task.checkCancellation()
            try await sink.send(try item().data[start..<min(start + 100_003, Int(range.upperBound))])
            try await medium.state.withLock { $0.afterPiece }?(index)
        }
    }
}

/// A folder for a cache, which goes with the test.
final class CacheRoom: Sendable {
    private let temporary: TemporaryFolder
    var folder: URL { temporary.url }

    init() throws { temporary = try TemporaryFolder() }

    func cache(_ capacity: Int64 = 1 << 30) -> ResourceCache { ResourceCache(folder: folder, capacity: capacity) }

    /// The files of resources.
    func files() throws -> [URL] { try all().filter { $0.lastPathComponent.count == 64 && !$0.hasDirectoryPath } }

    func all() throws -> [URL] {
        FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    }

    /// Changes the only file of a resource from outside.
    func tamper(_ change: (FileHandle) throws -> Void) throws {
        let file = try FileHandle(forUpdating: try files()[0])
        try change(file)
        try file.close()
    }
}

extension Data {
    /// The same bytes for the same seed; made once, as that takes long without optimisation.
    static func seeded(_ count: Int, seed: UInt64 = 1) -> Data {
        made.withLock { made in
            if let data = made[[UInt64(count), seed]] { return data }
            var numbers = SeededNumbers(seed: seed)
            let data = numbers.bytes(count)
            made[[UInt64(count), seed]] = data
            return data
        }
    }

    private static let made = Mutex<[[UInt64]: Data]>([:])
}

/// The error of a read; nil for none.
func readingFails(_ resource: any Resource, range: Range<Int64>? = nil) async -> (any Error)? {
    do {
        _ = try await resource.read(range)
        return nil
    } catch {
        return error
    }
}

extension Error {
    var isUnavailable: Bool { resourceFailure == .unavailable }
}
