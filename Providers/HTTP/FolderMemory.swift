import FileProviderCore

/// Folders that this provider has made or put something into a moment ago, and need not look for again before each write.
///
/// A removal or a move forgets everything. What others remove meanwhile is noticed by servers that know folders; where a folder is but the
/// beginning of names, it is there again.
struct FolderMemory: Sendable {
    private struct Folder {
        let end: ContinuousClock.Instant
        let isOwn: Bool
    }

    private static let lifetime = Duration.seconds(10)
    private static let most = 256
    private var folders: [ProviderPath: Folder] = [:]

    /// Whether the folder was there a moment ago.
    func knows(_ folder: ProviderPath) -> Bool { folder.isRoot || known(folder) != nil }

    /// Whether nobody can have made a folder at `path` but this provider, which has not: the folder it is in was made by it a moment ago.
    func isFree(ofFolders path: ProviderPath) -> Bool { path.parent.flatMap(known)?.isOwn == true && folders[path] == nil }

    /// Notes a folder that was made: nothing was in it.
    mutating func made(_ folder: ProviderPath) { note(folder, isOwn: true) }

    /// Notes a folder that took something.
    mutating func used(_ folder: ProviderPath?) {
        if let folder, !knows(folder) { note(folder, isOwn: false) }
    }

    mutating func forget() { folders = [:] }

    private func known(_ folder: ProviderPath) -> Folder? {
        guard let known = folders[folder], known.end > .now else { return nil }
        return known
    }

    private mutating func note(_ folder: ProviderPath, isOwn: Bool) {
        // Some could be forgotten and the folders they lie in not, so all are.
        if folders.count == Self.most { folders = [:] }
        folders[folder] = Folder(end: .now + Self.lifetime, isOwn: isOwn)
    }
}
