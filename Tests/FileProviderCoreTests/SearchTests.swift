import FileProviderCore
import Foundation
import PredicateFormat
import Synchronization
import Testing

/// A tree that is read only, whose listings do what a test says first.
private final class ListedTree: FileProviderBasic {
    static let type = "ListedTree"
    let baseURL = URL(string: "tree://host/")
    private let folders: [String: [[FileObject]]]
    private let cost: Capabilities.ReadCost
    private let before: @Sendable (ProviderPath) async throws -> Void
    let asked = Atomic(0)

    /// - Parameter folders: Pages of names by path; a name that ends in a slash is a folder.
    init(
        _ folders: [String: [[String]]], cost: Capabilities.ReadCost = .local,
        before: @escaping @Sendable (ProviderPath) async throws -> Void = { _ in }
    ) throws {
        self.cost = cost
        self.before = before
        var made: [String: [[FileObject]]] = [:]
        for (folder, pages) in folders {
            let path = try ProviderPath(folder)
            made[path.string] = try pages.map { page in
                try page.map { name in
                    FileObject(
                        path: try path.appending(name.hasSuffix("/") ? String(name.dropLast()) : name),
                        type: name.hasSuffix("/") ? .directory : .regular)
                }
            }
        }
        self.folders = made
    }

    func capabilities() async throws -> Capabilities {
        asked.add(1, ordering: .relaxed)
        return Capabilities(readCost: cost)
    }

    func attributesOfItem(path: ProviderPath) async throws -> FileObject { FileObject(path: path, type: .directory) }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        try await before(path)
        guard let pages = folders[path.string] else { throw FileError.make(.fileReadNoSuchFile, path: path) }
        for items in pages { try await page(items) }
    }
}

/// A storage that searches by itself.
private final class SearchingStub: FileProviderSearch {
    static let type = "Searching"
    let baseURL: URL? = nil
    func capabilities() async throws -> Capabilities { Capabilities(readCost: .local) }
    func attributesOfItem(path: ProviderPath) async throws -> FileObject { FileObject(path: path, type: .directory) }
    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        if path.name == ".locked" { throw FileError.make(.fileReadNoPermission, path: path) }
        let isTop = path.isRoot
        try await page([
            FileObject(path: path.appending(isTop ? "listed" : ".locked"), type: isTop ? .regular : .directory)
        ])
    }
    /// Nothing but what is hidden is left to Core.
    func searchesNatively(path: ProviderPath, recursive: Bool, query: FileQuery) async throws -> Bool {
        query != .hidden
    }
    func searchFiles(
        path: ProviderPath, recursive: Bool, query: FileQuery,
        found: @escaping @Sendable ([FileObject]) async throws -> Void
    )
        async throws
    {
        guard case .name = query else {
            return try await searchByListing(path: path, recursive: recursive, query: query, found: found)
        }
        try await found([FileObject(path: path.appending("indexed"), type: .regular)])
    }
}

@Suite struct SearchTests {
    @Test func `what a storage would not search by itself is listed, with all that the caller said`() async throws {
        let paths = CollectedValues<ProviderPath>()
        let found = CollectedValues<FileObject>()
        try await SearchingStub().searchFiles(
            path: ProviderPath("folder"), recursive: true, query: .hidden, unlisted: { path, _ in paths.append(path) },
            found: { found.append($0) })
        #expect(paths.values.map(\.string) == ["/folder/.locked"])
        #expect(found.values.map(\.name) == [".locked"])
    }

    @Test(.timeLimit(.minutes(1)))
    func
        `a walk lists folders at once where requests cost, and gives one item at a time, a folder before what it holds`()
        async throws
    {
        let isListed = Signal()
        let tree = try ListedTree(
            ["/": [["a/", "b/"]], "/a": [["c/"]], "/a/c": [["d"]], "/b": [["e"]]], cost: .request,
            before: { path in
                // Ends only when the other folder is listed meanwhile.
                if path.string == "/a" { try await isListed.wait() }
                if path.string == "/b" { isListed.fire() }
            })
        let (seen, visits) = (CollectedValues<String>(), LockedValue(0))
        try await tree.walk(path: .root) { item in
            #expect(
                visits.update { visits in
                    visits += 1; return visits
                } == 1)
            await Task.yield()
            seen.append(item.path.string)
            visits.update { $0 -= 1 }
        }
        #expect(Set(seen.values) == ["/a", "/b", "/a/c", "/a/c/d", "/b/e"])
        for path in seen.values {
            let parent = try ProviderPath(path).parent
            #expect(parent == .root || seen.values.prefix { $0 != path }.contains(parent?.string ?? ""))
        }
    }

    /// A folder in the middle that cannot be listed, and more behind it.
    private static let tree: [String: [[String]]] = [
        "/": [["a", "d/"], ["e/", "z.txt"]], "/d": [["gone/", "b.txt"]], "/e": [["f/"]], "/e/f": [["c.txt"]],
    ]

    private func names(_ items: [FileObject]) -> Set<String> { Set(items.map(\.path.string)) }

    @Test func `a search without limits equals the listing`() async throws {
        let tree = try ListedTree(Self.tree)
        let listed = try await tree.contentsOfDirectory(path: .root)
        let found = try await tree.searchFiles(path: .root, recursive: false, query: FileQuery(format: "TRUEPREDICATE"))
        #expect(found.map(\.path) == listed.map(\.path) && found.count == 4)
        #expect(tree.asked.load(ordering: .relaxed) == 0)
    }

    @Test(arguments: [Capabilities.ReadCost.local, .request])
    func `a folder that cannot be listed is named at the end, and the rest is found`(_ cost: Capabilities.ReadCost)
        async throws
    {
        let tree = try ListedTree(Self.tree, cost: cost)
        let found = CollectedValues<FileObject>()
        let error = try await #require(throws: CocoaError.self) {
            try await tree.searchFiles(path: .root, recursive: true, query: .name(.glob("*.txt"))) { found.append($0) }
        }
        #expect(names(found.values) == ["/z.txt", "/d/b.txt", "/e/f/c.txt"])
        #expect(error.code == .fileReadNoSuchFile && error.userInfo[NSFilePathErrorKey] as? String == "/d/gone")
        #expect(error.sentence == "“/d/gone” could not be searched: “/d/gone” does not exist.")
        #expect((error.underlying as? CocoaError)?.code == .fileReadNoSuchFile)
    }

    @Test func `several folders that cannot be listed are counted, or told one by one`() async throws {
        let tree = try ListedTree(["/": [["a/", "b/", "c/", "x"]]])
        let error = try await #require(throws: CocoaError.self) {
            try await tree.searchFiles(path: .root, recursive: true, query: .none)
        }
        #expect(error.sentence.hasPrefix("“/a” and 2 more folders could not be searched: "))
        let paths = CollectedValues<ProviderPath>()
        try await tree.searchFiles(
            path: .root, recursive: true, query: .all, unlisted: { path, _ in paths.append(path) }, found: { _ in })
        #expect(paths.values.map(\.string) == ["/a", "/b", "/c"])
        await #expect(throws: CocoaError(.fileReadCorruptFile)) {
            try await tree.searchFiles(
                path: .root, recursive: true, query: .all, unlisted: { _, _ in throw CocoaError(.fileReadCorruptFile) },
                found: { _ in })
        }
    }

    @Test func `the folder that is searched has to be there`() async throws {
        let error = await #expect(throws: CocoaError.self) {
            try await ListedTree([:]).searchFiles(path: .root, recursive: true, query: .all)
        }
        #expect(error?.code == .fileReadNoSuchFile && error?.underlying == nil)
    }

    @Test func `a lost server ends the search`() async throws {
        let listed = Atomic(0)
        let tree = try ListedTree(["/": [["a/", "b/", "c/"]]]) { path in
            listed.add(1, ordering: .relaxed)
            if !path.isRoot { throw URLError(.cannotConnectToHost) }
        }
        await #expect(throws: URLError(.cannotConnectToHost)) {
            try await tree.searchFiles(path: .root, recursive: true, query: .all)
        }
        #expect(listed.load(ordering: .relaxed) == 2)
    }

    @Test func `an error of the caller's own ends the search`() async throws {
        let tree = try ListedTree(Self.tree)
        await #expect(throws: CocoaError(.fileWriteOutOfSpace)) {
            try await tree.searchFiles(path: .root, recursive: true, query: .name(.equals("b.txt"))) { _ in
                throw CocoaError(.fileWriteOutOfSpace)
            }
        }
        await #expect(throws: CocoaError(.formatting)) {
            try await tree.searchFiles(
                path: .root, recursive: true,
                query: .matching { if $0.name == "b.txt" { throw CocoaError(.formatting) } else { false } })
        }
    }

    @Test func `results come page by page, in turn, while the storage waits`() async throws {
        let log = CollectedValues<String>()
        let tree = try ListedTree(["/": [["a/", "b/"]], "/a": [["1"], ["2"]], "/b": [["3"], ["4"]]], cost: .request)
        let running = Atomic(0)
        try await tree.searchFiles(path: .root, recursive: true, query: .all) { items in
            #expect(running.add(1, ordering: .sequentiallyConsistent).newValue == 1)
            await Task.yield()
            log.append(items.map(\.name).joined())
            running.subtract(1, ordering: .sequentiallyConsistent)
        }
        #expect(log.values.first == "ab" && Set(log.values) == ["ab", "1", "2", "3", "4"] && log.values.count == 5)
        #expect((log.values.firstIndex(of: "1") ?? 9) < (log.values.firstIndex(of: "2") ?? 0))
    }

    @Test(arguments: [(Capabilities.ReadCost.request, nil, 4), (.local, nil, 1), (.local, 3, 3), (.request, 1, 1)])
    func `so many folders are listed at once as reads may cost`(
        _ cost: Capabilities.ReadCost, _ listings: Int?, _ expected: Int
    )
        async throws
    {
        let names = (0..<12).map { "d\($0)/" }
        var folders = ["/": [["top/"]], "/top": [names]]
        for name in names { folders["/top/" + name] = [["x"]] }
        let running = Atomic(0)
        let peak = Atomic(0)
        let full = Signal()
        let tree = try ListedTree(folders, cost: cost) { path in
            if path.components.count < 2 { return }
            let now = running.add(1, ordering: .sequentiallyConsistent).newValue
            peak.max(now, ordering: .sequentiallyConsistent)
            if now == expected { full.fire() }
            try await full.wait()
            running.subtract(1, ordering: .sequentiallyConsistent)
        }
        let found = Atomic(0)
        try await tree.searchFiles(path: .root, recursive: true, query: .type(.regular), listings: listings) {
            found.add($0.count, ordering: .relaxed)
        }
        #expect(peak.load(ordering: .relaxed) == expected && found.load(ordering: .relaxed) == 12)
    }

    @Test func `folders without end are not entered for ever`() async throws {
        final class Endless: FileProviderBasic {
            static let type = "Endless"
            let baseURL: URL? = nil
            func capabilities() async throws -> Capabilities { Capabilities(readCost: .local) }
            func attributesOfItem(path: ProviderPath) async throws -> FileObject {
                FileObject(path: path, type: .directory)
            }
            func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
                async throws
            {
                try await page([FileObject(path: path.appending("d"), type: .directory)])
            }
        }
        let found = Atomic(0)
        let error = await #expect(throws: CocoaError.self) {
            try await Endless().searchFiles(path: .root, recursive: true, query: .all) {
                found.add($0.count, ordering: .relaxed)
            }
        }
        #expect(error?.code == .fileReadTooLarge && found.load(ordering: .relaxed) == 256)
    }

    @Test func `cancelling ends the search`() async throws {
        let (entered, never) = (Signal(), Signal())
        let tree = try ListedTree(Self.tree) { path in
            if path.isRoot { return }
            entered.fire()
            try await never.wait()
        }
        let search = Task { try await tree.searchFiles(path: .root, recursive: true, query: .all) }
        try await entered.wait()
        search.cancel()
        await #expect(throws: CancellationError.self) { try await search.value }
    }

    @Test func `a query can ask for the URL`() async throws {
        let tree = try ListedTree(Self.tree)
        let found = try await tree.searchFiles(
            path: .root, recursive: false, query: FileQuery(format: "url == 'tree://host/z.txt'"))
        #expect(found.map(\.name) == ["z.txt"])
    }

    @Test func `a storage that searches by itself is asked, and can fall back`() async throws {
        let storage: any FileProviderBasic = SearchingStub()
        #expect(
            try await storage.searchFiles(path: .root, recursive: true, query: .name(.equals("indexed"))).map(\.name)
                == ["indexed"])
        #expect(try await storage.searchFiles(path: .root, recursive: true, query: .all).map(\.name) == ["listed"])
        #expect(
            try await SearchingStub().searchFiles(path: .root, recursive: true, query: .all).map(\.name) == ["listed"])
    }
}

@Suite struct SearchCompletionTests {
    private static let folders = ["/": [["Alpha", "beta"], ["alp/"]], "/alp": [["ALPHA"]]]

    /// What a search with handlers came to: items as they came, then the end.
    private struct Outcome: Sendable {
        var came: [String] = []
        var files: [String] = []
        var error: (any Error)?
        var ends = 0
    }

    private func outcome(
        _ start: (@escaping @Sendable (FileObject) -> Void, @escaping @Sendable ([FileObject], (any Error)?) -> Void) ->
            Progress?
    ) async throws -> (Outcome, Progress) {
        let state = Mutex(Outcome())
        let done = Signal()
        let started = start(
            { item in state.withLock { $0.came.append(item.name + ($0.ends > 0 ? " too late" : "")) } },
            { files, error in
                state.withLock { state in
                    state.files = files.map(\.name)
                    state.error = error
                    state.ends += 1
                }
                done.fire()
            })
        try await done.wait()
        // Another operation ends after it, so a second call would have come too.
        let later = Signal()
        StubProvider().removeItem(path: "/later") { _ in later.fire() }
        try await later.wait()
        let progress = try #require(started)
        return (state.withLock { $0 }, progress)
    }

    @Test func `a text finds names that begin with it, in any case`() async throws {
        let tree = try ListedTree(Self.folders)
        let (outcome, progress) = try await outcome {
            tree.searchFiles(path: "/", recursive: true, query: "aLp", foundItemHandler: $0, completionHandler: $1)
        }
        #expect(outcome.came == ["Alpha", "alp", "ALPHA"] && outcome.files == outcome.came)
        #expect(outcome.error == nil && outcome.ends == 1 && progress.isFinished)
    }

    @Test func `queries and predicates have the same form`() async throws {
        let tree = try ListedTree(Self.folders)
        let (typed, _) = try await outcome {
            tree.searchFiles(
                path: "/", recursive: false, query: .name(.equals("beta")), foundItemHandler: $0, completionHandler: $1)
        }
        #expect(typed.files == ["beta"] && typed.came == ["beta"])
        let (block, _) = try await outcome {
            tree.searchFiles(
                path: "/", recursive: true,
                query: NSPredicate { object, _ in (object as? [String: Any])?["path"] as? String == "/alp/ALPHA" },
                foundItemHandler: $0, completionHandler: $1)
        }
        #expect(block.files == ["ALPHA"])
        let (all, _) = try await outcome { _, end in
            tree.searchFiles(path: "/", recursive: false, query: NSPredicate(value: true), completionHandler: end)
        }
        #expect(all.files == ["Alpha", "beta", "alp"] && all.came.isEmpty)
    }

    @Test func `what was found stands beside the error`() async throws {
        let tree = try ListedTree(["/": [["a", "d/"]]])
        let (outcome, _) = try await outcome {
            tree.searchFiles(path: "/", recursive: true, query: .all, foundItemHandler: $0, completionHandler: $1)
        }
        #expect(outcome.files == ["a", "d"] && outcome.came == ["a", "d"])
        #expect((outcome.error as? CocoaError)?.code == .fileReadNoSuchFile && outcome.ends == 1)
        let (wrong, _) = try await self.outcome {
            tree.searchFiles(path: "/a/../b", recursive: true, query: .all, foundItemHandler: $0, completionHandler: $1)
        }
        #expect((wrong.error as? CocoaError)?.code == .fileReadInvalidFileName && wrong.ends == 1)
    }

    @Test func `cancelling calls the handler once`() async throws {
        let never = Signal()
        let tree = try ListedTree(Self.folders) { path in if !path.isRoot { try await never.wait() } }
        let (outcome, _) = try await outcome { item, end in
            let progress = tree.searchFiles(
                path: "/", recursive: true, query: .all, foundItemHandler: item, completionHandler: end)
            progress?.cancel()
            return progress
        }
        #expect((outcome.error as? CocoaError)?.code == .userCancelled && outcome.ends == 1)
    }
}
