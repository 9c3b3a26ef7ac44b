public import FileProviderCore
import Foundation

extension HTTPFileProvider: FileProviderLongPolling where Service: HTTPChangesService {
    /// Waits as long as the server makes one wait, then takes all pages that there are.
    ///
    /// - Throws: Also `URLError(.badServerResponse)` for a feed that goes in a circle.
    /// - Complexity: The wait, one request for each page, and what a token takes where the server has forgotten the one
    ///   given. Holds at most 65,536 events, and the tokens of at most 1,024 pages. If more has changed, the answer is a
    ///   rescan with a new token.
    public func changes(path: ProviderPath, since token: String?) async throws -> LongPollAnswer {
        guard let token else {
            if !path.isRoot, try await !look(at: path).isDirectory {
                throw FileError.notADirectory(path, url: url(of: path))
            }
            return LongPollAnswer(events: [], token: try await newToken(path))
        }
        let isTold = try await connection.reading(Service.self, path: path) {
            try await service.waitForChanges(path: path, since: token, over: connection)
        }
        guard isTold else {
            return LongPollAnswer(events: [], token: token)
        }
        var feed = HTTPFeed(of: path)
        var (next, seen) = (token, Set([token]))
        while true {
            try Task.checkCancellation()
            let page = try await connection.reading(Service.self, path: path) { [next] in
                try await service.changes(path: path, since: next, over: connection)
            }
            guard let page else {
                let token = try await newToken(path)
                dropCache(path: path)
                return LongPollAnswer(
                    events: [.rescan(path, "The server no longer knows what changed since it was asked last.")],
                    token: token)
            }
            feed.add(page.changes)
            next = page.nextToken
            if page.isLast { break }
            if feed.isCut || seen.count >= Self.maxPages {
                // The rescan covers the other pages.
                let token = try await newToken(path)
                dropCache(path: path)
                return LongPollAnswer(events: [.rescan(path, HTTPFeed.cutReason)], token: token)
            }
            guard seen.insert(next).inserted else {
                throw FileError.make(
                    .badServerResponse, url: url(of: path),
                    sentence: "The server's changes of “\(path)” go in a circle.")
            }
        }
        if !feed.isEmpty { dropCache(path: path) }
        return LongPollAnswer(events: try feed.events(url: url(of: path)), token: next)
    }

    /// Pages that are read for one answer. The last one may have any number of changes.
    private static var maxPages: Int { 1_024 }

    private func newToken(_ path: ProviderPath) async throws -> String {
        try await connection.reading(Service.self, path: path) {
            try await service.changesToken(path: path, over: connection)
        }
    }
}

/// Turns a server's changes of a folder into events.
private struct HTTPFeed {
    private let folder: ProviderPath
    private var events: [FileEvent] = []
    /// Folders whose content was not reported, in the order in which they came.
    private var unlisted: [ProviderPath] = []
    /// Whether more has changed than is kept.
    private(set) var isCut = false
    /// Whether the folder itself was gone at some time, and whether it is now.
    private var (wasGone, isGone) = (false, false)

    private static let maxEvents = 65_536
    private static let maxRescans = 64
    static let cutReason = "More has changed than can be reported one by one."

    init(of folder: ProviderPath) {
        self.folder = folder
    }

    /// Whether nothing was reported of the folder.
    var isEmpty: Bool { events.isEmpty && !isCut && !wasGone }

    mutating func add(_ changes: [HTTPChange]) {
        for change in changes {
            switch change {
            case .present(let item, let isNew): arrived(item, isNew: isNew)
            case .absent(let path): left(path)
            case .moved(let item, let from): moved(item, from: from)
            }
        }
    }

    private mutating func arrived(_ item: FileObject, isNew: Bool?) {
        if item.path == folder { isGone = !item.isDirectory }
        guard item.path.isBelow(folder) else { return }
        let kind: FileEvent.Kind = isNew == false ? .modified : .created
        tell(FileEvent(kind, path: item.path, type: item.type))
        guard item.isDirectory, isNew == nil else { return }
        if unlisted.count < Self.maxRescans { unlisted.append(item.path) } else { isCut = true }
    }

    private mutating func left(_ path: ProviderPath) {
        if path == folder || folder.isBelow(path) { (wasGone, isGone) = (true, true) }
        if path.isBelow(folder) { tell(FileEvent(.removed, path: path)) }
    }

    private mutating func moved(_ item: FileObject, from: ProviderPath) {
        guard from.isBelow(folder) else {
            if from == folder || folder.isBelow(from) { (wasGone, isGone) = (true, true) }
            // Its contents were not reported before it was moved here.
            return arrived(item, isNew: item.isDirectory ? nil : true)
        }
        guard item.path.isBelow(folder) else { return left(from) }
        tell(FileEvent(.moved, path: item.path, from: from, type: item.type))
        unlisted = unlisted.map { path in path.relative(to: from).map { item.path.appending($0) } ?? path }
    }

    private mutating func tell(_ event: FileEvent) {
        if events.count < Self.maxEvents { events.append(event) } else { isCut = true }
    }

    /// - Throws: `CocoaError(.fileReadNoSuchFile)` when the folder is gone.
    func events(url: URL) throws -> [FileEvent] {
        if isGone { throw FileError.make(.fileReadNoSuchFile, path: folder, url: url) }
        if wasGone { return [.rescan(folder, "This folder was removed or moved away, and exists again.")] }
        if isCut { return [.rescan(folder, Self.cutReason)] }
        return events + unlisted.map { .rescan($0, "The server does not say what is in this folder.") }
    }
}

extension FileEvent {
    fileprivate static func rescan(_ path: ProviderPath, _ reason: String) -> FileEvent {
        FileEvent(.rescan, path: path, type: .directory, reason: reason)
    }
}
