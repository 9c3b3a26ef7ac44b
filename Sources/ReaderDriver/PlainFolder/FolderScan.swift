import FileProviderCore
import Foundation
import Publication
import ReaderMessages
import Synchronization

/// A file that counts as a book, as a listing shows it.
struct FoundFile: Sendable {
    /// The path below the folder, in NFC, as used by the cache and the caller.
    var key: String
    /// The path on the storage, byte for byte.
    var path: ProviderPath
    /// The size, or `nil` if the listing doesn't have it.
    var size: Int64?
    var modified: Date?
    var entryTag: String?
    /// The media type according to the name.
    var format: String

    init(_ item: FileObject, key: String, format: String) {
        self.key = key
        self.path = item.path
        self.size = item.size.flatMap { $0 < 0 ? nil : $0 }
        // Rounded as in a cache.
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

/// The books in a folder and below it, from listings alone.
struct FolderScan: Sendable {
    /// In bytewise order of the paths; all keys are different.
    var files: [FoundFile] = []
    /// The keys of the folders that could not be listed; their content is unknown.
    var unlisted: [String] = []
    var warnings: [String] = []

    /// Whether it is unknown if the file at `key` still exists.
    func isUnknown(_ key: String) -> Bool { unlisted.contains { key.hasPrefix($0 + "/") } }

    /// Lists the folder and those below it.
    ///
    /// - Throws: Errors of the provider. A subfolder that may not be listed, or that disappeared meanwhile, causes a
    ///   warning.
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

    /// Returns the media type of files with this extension, or `nil` if they are not books.
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

/// The results of a walk through a folder so far.
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

    /// Returns the key of a file that may be a book, or `nil` for any other item.
    func key(of item: FileObject) throws -> String? {
        let count = state.withLock { state in
            state.items += 1
            return state.items
        }
        guard count <= options.maxItems else {
            throw FileError.make(
                .fileReadTooLarge, path: folder,
                sentence: "“\(folder)” holds more than \(options.maxItems) files, the limit for a folder of books.")
        }
        // A link is not a regular file, and its target is unknown.
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
            scan.warnings.append("Files more than \(options.maxDepth) folders deep were skipped: \(state.tooDeep).")
        }
        var seen: Set<String> = []
        scan.files = scan.files.sorted { $0.path < $1.path }.filter { file in
            if seen.insert(file.key).inserted { return true }
            scan.warnings.append(
                "“\(StagedName.shown(file.key))” exists twice, in two Unicode forms; one was skipped.")
            return false
        }
        return scan
    }

    private func key(_ path: ProviderPath) -> String? {
        guard let below = path.relative(to: folder), !below.isRoot else { return nil }
        return String(below.string.dropFirst()).precomposedStringWithCanonicalMapping
    }

    /// Whether a file is hidden, a leftover of macOS or calibre, being transferred, or the cache.
    private func isLeftOut(_ key: String) -> Bool {
        let parts = key.split(separator: "/")
        if parts.contains(where: { $0.hasPrefix(".") || $0 == "__MACOSX" }) { return true }
        if key.lowercased().hasSuffix(".tmp") { return true }
        return key == options.cacheName || key.hasPrefix(options.cacheName + ".")
    }
}
