import Foundation

/// A search by listing: several folders at once, their pages passed on one after the other.
struct TreeSearch: Sendable {
    private let provider: any FileProviderBasic
    private let query: FileQuery
    private let needsURL: Bool
    private let recursive: Bool
    private let listings: Int?
    private let entering: @Sendable (FileObject) -> Bool
    private let unlisted: (@Sendable (ProviderPath, any Error) throws -> Void)?
    private let found: @Sendable ([FileObject]) async throws -> Void
    private let turns = Turns()
    /// The caller's own error, which ends the search whatever a provider makes of it.
    private let callersError = LockedValue<(any Error)?>(nil)

    init(
        provider: any FileProviderBasic, query: FileQuery, recursive: Bool, listings: Int?,
        entering: @escaping @Sendable (FileObject) -> Bool = { _ in true },
        unlisted: (@Sendable (ProviderPath, any Error) throws -> Void)?,
        found: @escaping @Sendable ([FileObject]) async throws -> Void
    ) {
        self.provider = provider
        self.query = query
        self.needsURL = query.needsURL
        self.recursive = recursive
        self.listings = listings.map { max(1, $0) }
        self.entering = entering
        self.unlisted = unlisted
        self.found = found
    }

    /// A folder to list, and its depth below the start.
    private struct Folder {
        var path: ProviderPath
        var depth: Int
    }

    /// The outcome of a listing. One that failed may have found folders before.
    private struct ListingOutcome {
        var folder: Folder
        var below: [ProviderPath]
        var error: (any Error)?
    }

    func run(from path: ProviderPath) async throws {
        var pending = [Folder(path: path, depth: 0)]
        var failures = UnlistedFolders()
        try await withThrowingTaskGroup(of: ListingOutcome.self) { group in
            var inFlight = 0
            var limit: Int?
            while true {
                while inFlight < limit ?? 1, let folder = pending.popLast() {
                    inFlight += 1
                    group.addTask { await list(folder) }
                }
                guard let listed = try await group.next() else { break }
                inFlight -= 1
                if let error = listed.error { try record(error, of: listed.folder, in: &failures) }
                for below in listed.below.reversed() {
                    if listed.folder.depth + 1 < ProviderPath.maxTreeDepth {
                        pending.append(Folder(path: below, depth: listed.folder.depth + 1))
                    } else {
                        try record(
                            FileError.tooDeep(below), of: Folder(path: below, depth: ProviderPath.maxTreeDepth),
                            in: &failures)
                    }
                }
                // Asked only here: a chain of single folders does not need it.
                if limit == nil, pending.count > 1 { limit = try await listingsAtOnce() }
            }
        }
        if let error = failures.error { throw error }
    }

    private func listingsAtOnce() async throws -> Int {
        if let listings { return listings }
        return try await provider.concurrentListings()
    }

    private func list(_ folder: Folder) async -> ListingOutcome {
        let below = CollectedValues<ProviderPath>()
        let strangers = LockedValue(UnusableNames())
        do {
            try await provider.contentsOfDirectory(path: folder.path) { page in
                try Task.checkCancellation()
                let page = Self.own(page, of: folder.path, strangers)
                if recursive { below.append(page.filter { $0.isDirectory && entering($0) }.map(\.path)) }
                do { try await handOn(page) } catch {
                    callersError.update { $0 = $0 ?? error }
                    throw error
                }
            }
            let refused = strangers.value
            return ListingOutcome(
                folder: folder, below: below.values,
                error: refused.isEmpty ? nil : FileError.refusedItems(refused, in: folder.path))
        } catch {
            return ListingOutcome(folder: folder, below: below.values, error: error)
        }
    }

    /// Returns the items of a page that are directly in the listed folder. A server may name others, to lead a caller
    /// elsewhere.
    private static func own(_ page: [FileObject], of folder: ProviderPath, _ strangers: LockedValue<UnusableNames>)
        -> [FileObject]
    {
        if page.allSatisfy({ $0.path.isRight(in: folder) }) { return page }
        return page.filter { item in
            if item.path.isRight(in: folder) { return true }
            strangers.update { $0.add(nameBytes: item.path.nameBytes) }
            return false
        }
    }

    private func handOn(_ page: [FileObject]) async throws {
        var matching: [FileObject] = []
        for var item in page {
            if needsURL, item[.url] == nil { item[.url] = provider.url(of: item.path) }
            if try query.evaluate(item) { matching.append(item) }
        }
        if matching.isEmpty { return }
        let items = matching
        try await turns.take {
            try Task.checkCancellation()
            try await found(items)
        }
    }

    private func record(_ error: any Error, of folder: Folder, in failures: inout UnlistedFolders) throws {
        if let own = callersError.value { throw own }
        if folder.depth == 0 && error.unusableNames == nil || error.concernsEveryItem { throw error }
        if let unlisted { try unlisted(folder.path, error) } else { failures.add(error, at: folder.path) }
    }
}

/// The folders that a search could not list.
private struct UnlistedFolders {
    private var first: (path: ProviderPath, error: any Error)?
    private var count = 0

    mutating func add(_ error: any Error, at path: ProviderPath) {
        first = first ?? (path, error)
        count += 1
    }

    /// One error for all: the first one's code, path and sentence, with that error below it; nil if there are none.
    var error: CocoaError? {
        guard let first else { return nil }
        let others = count == 1 ? "" : " and \(count - 1) more \(count == 2 ? "folder" : "folders")"
        return FileError.make(
            (first.error as? CocoaError)?.code ?? .fileReadUnknown, path: first.path,
            sentence: "“\(first.path)”\(others) could not be searched: \(first.error.sentence)", underlying: first.error
        )
    }
}
