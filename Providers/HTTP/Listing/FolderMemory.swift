import FileProviderCore

/// The items that this provider made a moment ago, and need not look for again before each write.
///
/// A removal, a move and a copy forget everything. If another client removes a folder meanwhile, a server with folders
/// notices; on a server whose folders are only prefixes of names, the write makes the folder again.
struct FolderMemory: Sendable {
    private struct Folder {
        let end: ContinuousClock.Instant
        let isOwn: Bool
    }

    private static let lifetime = Duration.seconds(10)
    private static let maxCount = 10_000
    private var folders: [ProviderPath: Folder] = [:]
    private var files: Set<ProviderPath> = []

    /// Whether the folder was there a moment ago.
    func knows(_ folder: ProviderPath) -> Bool { folder.isRoot || known(folder) != nil }

    /// Whether this provider has put nothing at `path`, and has made the folder a moment ago that it is in.
    func isUntouched(_ path: ProviderPath) -> Bool {
        path.parent.flatMap(known)?.isOwn == true && folders[path] == nil && !files.contains(path)
    }

    /// Notes a folder that was made: nothing was in it.
    mutating func made(_ folder: ProviderPath) { note(folder, isOwn: true) }

    /// Notes a file that is going to be written.
    mutating func begins(_ file: ProviderPath) {
        if files.count == Self.maxCount { forget() }
        files.insert(file)
    }

    /// Notes a folder that took a file.
    mutating func used(_ folder: ProviderPath?) {
        if let folder, !knows(folder) { note(folder, isOwn: false) }
    }

    mutating func forget() { (folders, files) = ([:], []) }

    private func known(_ folder: ProviderPath) -> Folder? {
        guard let known = folders[folder], known.end > .now else { return nil }
        return known
    }

    private mutating func note(_ folder: ProviderPath, isOwn: Bool) {
        // Some could be forgotten and the folders they lie in not, so all are.
        if folders.count == Self.maxCount { forget() }
        folders[folder] = Folder(end: .now + Self.lifetime, isOwn: isOwn)
    }
}
