import FileProviderCore
import Foundation
import Publication
import ReaderMessages
import Synchronization

/// A file that counts as a book, as a listing shows it.
struct FoundFile: Sendable {
    /// Its path below the folder, in NFC: what the cache and the caller know it by.
    var key: String
    /// Its path on the storage, byte for byte.
    var path: ProviderPath
    /// Nil where the listing does not tell.
    var size: Int64?
    var modified: Date?
    var entryTag: String?
    /// The media type that its name tells.
    var format: String

    init(_ item: FileObject, key: String, format: String) {
        self.key = key
        self.path = item.path
        self.size = item.size.flatMap { $0 < 0 ? nil : $0 }
        // As a cache keeps it.
        self.modified = item.modifiedDate.map {
            Date(timeIntervalSince1970: ($0.timeIntervalSince1970 * 1000).rounded() / 1000)
        }
        self.entryTag = item.entryTag
        self.format = format
    }

    /// The name without folders and extension.
    var title: String {
        let name = key.split(separator: "/").last.map(String.init) ?? key
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }
}

/// The books that lie in a folder and below it, from listings alone.
struct FolderScan: Sendable {
    /// In the bytewise order of their paths; no two with the same key.
    var files: [FoundFile] = []
    /// The folders that could not be listed, by their keys: nothing is known of what lies in them.
    var unlisted: [String] = []
    var warnings: [String] = []

    /// Whether nobody could tell if a file at `key` is still there.
    func isUnknown(_ key: String) -> Bool { unlisted.contains { key.hasPrefix($0 + "/") } }

    /// Lists the folder and those below it.
    ///
    /// - Throws: What the provider throws. A folder further down that may not be listed, or that went away meanwhile,
    ///   is a warning.
    static func run(_ folder: ProviderPath, on provider: any FileProvider, formats: BookFormats) async throws
        -> FolderScan
    {
        let walk = FolderWalk(folder: folder, options: formats.options)
        try await provider.walk(path: folder) { path, error in
            let code = (error as? CocoaError)?.code
            guard error.isNoSuchFile || code == .fileReadNoPermission || code == .fileReadTooLarge else { throw error }
            walk.missed(path, error)
        } visit: { item in
            guard let key = try walk.key(of: item) else { return }
            guard let format = try await formats.format(of: item.path.fileExtension) else { return }
            walk.add(FoundFile(item, key: key, format: format))
        }
        return walk.result
    }
}

/// Which files count as books, by the extensions of their names.
final class BookFormats: Sendable {
    let options: PlainFolderOptions
    private let known = Mutex<[String: String?]>([:])

    init(_ options: PlainFolderOptions) {
        self.options = options
    }

    /// The media type of files with that extension; nil where they are no books.
    func format(of fileExtension: String?) async throws -> String? {
        guard let fileExtension = fileExtension?.lowercased(), SafeFileName.isExtension(fileExtension) else {
            return nil
        }
        if let format = known.withLock({ $0[fileExtension] }) { return format }
        let essence = try await MediaType.of(fileExtensions: [fileExtension])?.essence
        let format = essence.flatMap { options.formats.contains($0) ? $0 : nil }
        known.withLock { _ = $0.updateValue(format, forKey: fileExtension) }
        return format
    }
}

/// What a walk through a folder has come upon so far.
private final class FolderWalk: Sendable {
    private struct State: Sendable {
        var scan = FolderScan()
        var items = 0
        var tooDeep = 0
    }

    private let folder: ProviderPath
    private let options: PlainFolderOptions
    private let state = Mutex(State())

    init(folder: ProviderPath, options: PlainFolderOptions) {
        self.folder = folder
        self.options = options
    }

    /// The key of a file that may be a book; nil for everything else.
    func key(of item: FileObject) throws -> String? {
        let count = state.withLock { state in
            state.items += 1
            return state.items
        }
        guard count <= options.maxItems else {
            throw FileError.make(
                .fileReadTooLarge, path: folder,
                sentence: "“\(folder)” holds more than \(options.maxItems) files, which is too many for books.")
        }
        // A link is no regular file, and leads who knows where.
        guard item.isRegularFile, let key = key(item.path), !isLeftOut(key) else { return nil }
        guard key.utf8.count(where: { $0 == UInt8(ascii: "/") }) <= options.maxDepth else {
            state.withLock { $0.tooDeep += 1 }
            return nil
        }
        return key
    }

    func add(_ file: FoundFile) { state.withLock { $0.scan.files.append(file) } }

    func missed(_ path: ProviderPath, _ error: any Error) {
        guard let key = key(path) else { return }
        state.withLock { state in
            state.scan.unlisted.append(key)
            state.scan.warnings.append("“\(StagedName.shown(key))” could not be listed: \(error.sentence)")
        }
    }

    var result: FolderScan {
        let state = state.withLock { $0 }
        var scan = state.scan
        if state.tooDeep > 0 {
            scan.warnings.append("Files deeper than \(options.maxDepth) folders were left out: \(state.tooDeep).")
        }
        var seen: Set<String> = []
        scan.files = scan.files.sorted { $0.path < $1.path }.filter { file in
            if seen.insert(file.key).inserted { return true }
            scan.warnings.append(
                "“\(StagedName.shown(file.key))” is there twice, in two forms of Unicode; one was left out.")
            return false
        }
        return scan
    }

    private func key(_ path: ProviderPath) -> String? {
        guard let below = path.relative(to: folder), !below.isRoot else { return nil }
        return String(below.string.dropFirst()).precomposedStringWithCanonicalMapping
    }

    /// What is hidden, what a Mac or calibre leaves behind, what is on its way, and the cache.
    private func isLeftOut(_ key: String) -> Bool {
        let parts = key.split(separator: "/")
        if parts.contains(where: { $0.hasPrefix(".") || $0 == "__MACOSX" }) { return true }
        if key.lowercased().hasSuffix(".tmp") { return true }
        return key == options.cacheName || key.hasPrefix(options.cacheName + ".")
    }
}
