import Carrel

/// The subfolders of one folder in a tree, listed in order: while one is shown, the next ones are being listed.
struct FoldersAhead {
    /// A listing that has ended.
    struct ListingResult: Sendable {
        let operand: Int
        let result: Result<FolderLines, any Error>
    }

    private let room: ListingRoom
    private let folders: [ListedLines.Line]
    private let path: @Sendable (ListedLines.Line) throws -> ProviderPath
    private let list: @Sendable (ProviderPath) async throws -> FolderLines
    private var begun = 0
    private var shown = 0
    private var listed: [Int: Result<FolderLines, any Error>] = [:]

    /// - Parameters:
    ///   - folders: In the order in which they are shown.
    ///   - room: Shared by all folders of the tree.
    init(
        _ folders: [ListedLines.Line], room: ListingRoom,
        path: @escaping @Sendable (ListedLines.Line) throws -> ProviderPath,
        list: @escaping @Sendable (ProviderPath) async throws -> FolderLines
    ) {
        self.folders = folders
        self.room = room
        self.path = path
        self.list = list
    }

    /// Returns the lines of the next folder. Listings run in `group`, which only this value may use.
    ///
    /// - Throws: The error of its listing.
    mutating func next(_ group: inout ThrowingTaskGroup<ListingResult, any Error>) async throws -> FolderLines {
        let operand = shown
        shown += 1
        if begun == operand { try begin(&group) }
        if begun < folders.count { await room.measure() }
        while begun < folders.count, room.hasPlace { try begin(&group) }
        while listed[operand] == nil, let one = try await group.next() { listed[one.operand] = one.result }
        guard let lines = try listed.removeValue(forKey: operand)?.get() else { throw CancellationError() }
        room.giveUp(lines)
        return lines
    }

    private mutating func begin(_ group: inout ThrowingTaskGroup<ListingResult, any Error>) throws {
        let (operand, path, list, room) = (begun, try path(folders[begun]), list, room)
        begun += 1
        room.enter()
        group.addTask {
            let result: Result<FolderLines, any Error>
            do { result = .success(try await list(path)) } catch { result = .failure(error) }
            room.leave(result)
            return ListingResult(operand: operand, result: result)
        }
    }
}

/// Limits the concurrent listings of one tree, and the lines that wait to be shown.
final class ListingRoom: Sendable {
    /// The number of waiting lines from which no further listing begins.
    private static let maxLines = 50_000

    private struct State {
        var maxListings: Int?
        var listings = 0
        var lines = 0
    }

    private let provider: any FileProvider
    private let state = LockedValue(State())

    init(_ provider: any FileProvider) {
        self.provider = provider
    }

    /// Asks the storage once how many concurrent listings are worthwhile.
    func measure() async {
        if state.value.maxListings != nil { return }
        // A storage that can't answer reports the error when it lists the folder.
        let maxListings = (try? await provider.concurrentListings()) ?? 1
        state.update { $0.maxListings = maxListings }
    }

    var hasPlace: Bool {
        let state = state.value
        return state.listings < state.maxListings ?? 1 && state.lines < Self.maxLines
    }

    func enter() { state.update { $0.listings += 1 } }

    func leave(_ result: Result<FolderLines, any Error>) {
        state.update { state in
            state.listings -= 1
            if case .success(let lines) = result { state.lines += lines.lines.count }
        }
    }

    /// Records that these lines are now shown and no longer wait.
    func giveUp(_ lines: FolderLines) { state.update { $0.lines -= lines.lines.count } }
}
