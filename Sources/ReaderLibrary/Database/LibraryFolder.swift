import FileProviderCore
import Foundation
import LocalFileProvider

/// The folder of a library, and the folders in it.
struct LibraryFolder: Sendable {
    let url: URL
    /// Counted from the folder; never leads out of it.
    let files: LocalFileProvider
    /// The books that the database names, those on their way into it, and what others put there.
    let books: ProviderPath
    /// The covers, under random names.
    let covers: ProviderPath
    /// What is only being worked on; emptied when the library is opened.
    let incoming: ProviderPath
    /// Held until it is released, at the latest until nobody holds this value any more.
    let lock: FolderLock

    /// Makes the folder and those in it where they are missing, and locks it against other processes.
    /// - Throws: What the disk says; `CocoaError(.fileWriteUnknown)` when another process has the library open, and for
    ///   a folder that has files where a library's would be and no database: most likely that was lost, and none of
    ///   them would be listed.
    static func open(_ url: URL) async throws -> LibraryFolder {
        try await BlockingThreads.shared.run {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
        let folder = try LibraryFolder(url, lock: try await BlockingThreads.shared.run { try FolderLock(folder: url) })
        let directories = [folder.books, folder.covers, folder.incoming]
        for directory in directories { try await folder.files.createFolderWithParents(path: directory) }
        if try await folder.hasDatabase() { return folder }
        for directory in directories where try await !folder.names(in: directory).isEmpty {
            let sentence =
                "“\(url.lastPathComponent)” has files in “\(directory.name)” and no library; choose another folder, or put “library.sqlite” back."
            throw FileError.make(.fileWriteUnknown, path: url.path, sentence: sentence)
        }
        return folder
    }

    private func hasDatabase() async throws -> Bool {
        let path = try ProviderPath(database.lastPathComponent)
        do { return try await files.attributesOfItem(path: path).size != 0 } catch let error where error.isNoSuchFile {
            return false
        }
    }

    /// Removes what somebody worked on who was interrupted.
    func emptyIncoming() async throws {
        for name in try await names(in: incoming) {
            try await files.removeItem(path: try incoming.appending(name), recursive: true)
        }
    }

    private init(_ url: URL, lock: FolderLock) throws {
        self.url = url
        self.lock = lock
        files = try LocalFileProvider(root: url)
        books = try ProviderPath("Books")
        covers = try ProviderPath("Covers")
        incoming = try ProviderPath("Incoming")
    }

    /// The database's file.
    var database: URL { url.appendingPathComponent("library.sqlite") }

    /// The names in one of the folders.
    func names(in folder: ProviderPath) async throws -> Set<String> {
        Set(try await files.contentsOfDirectory(path: folder).map(\.name))
    }

    /// The path of `file`.
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for a name that leads elsewhere.
    func path(of file: LibraryFile) throws -> ProviderPath { try path(of: file.directory).appending(file.name) }

    /// The path of one of the folders.
    func path(of directory: LibraryFile.Directory) -> ProviderPath {
        switch directory {
        case .books: books
        case .covers: covers
        }
    }

    /// Where something is worked on, under a name that nobody has.
    func newIncoming(_ fileExtension: String) throws -> ProviderPath {
        try incoming.appending("\(UUID().uuidString).\(fileExtension)")
    }

    /// The file of this machine behind `path`.
    func location(of path: ProviderPath) -> URL {
        path.components.reduce(url) { url, part in url.appendingPathComponent(String(decoding: part, as: UTF8.self)) }
    }

    /// Whether a file is at `path`.
    func has(_ path: ProviderPath) async throws -> Bool {
        do { return try await files.attributesOfItem(path: path).isRegularFile } catch let error
            where error.isNoSuchFile
        { return false }
    }

    /// Whether anything is at `path`.
    func isTaken(_ path: ProviderPath) async throws -> Bool {
        do {
            _ = try await files.attributesOfItem(path: path)
            return true
        } catch let error where error.isNoSuchFile { return false }
    }

    /// Sees onto the disk which names are in the folder at `path`. Source: fsync(2).
    func sync(_ path: ProviderPath) async throws {
        let folder = location(of: path).path
        try await BlockingThreads.shared.run {
            try FileDescriptor(path: folder, flags: O_RDONLY | O_DIRECTORY).syncNames(path: path)
        }
    }

    /// Removes a file that may be gone already.
    func remove(_ path: ProviderPath) async throws {
        do { try await files.removeItem(path: path, recursive: false) } catch let error where error.isNoSuchFile {}
    }
}

/// The lock by which one process at a time has a library open; it goes with the process, however that ends. Source:
/// flock(2).
final class FolderLock: Sendable {
    private let file: Int32

    /// - Throws: `CocoaError(.fileWriteUnknown)` with `EWOULDBLOCK` below it when somebody else has the lock.
    init(folder: URL) throws {
        let path = folder.appendingPathComponent("library.lock").path
        file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            let cause = errno
            // The path of a URL is always one; the root would only be shown in the sentence.
            throw FileError.make(errno: cause, path: (try? ProviderPath(path)) ?? .root, writing: true)
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let cause = POSIXErrorCode(rawValue: errno).map { POSIXError($0) }
            // `file` is set by now, so that the throw runs `deinit`, which closes it.
            let sentence = "The library “\(folder.lastPathComponent)” is open in another process; close it there first."
            throw FileError.make(.fileWriteUnknown, path: folder.path, sentence: sentence, underlying: cause)
        }
    }

    /// Lets others in; the lock goes anyway when nobody holds it any more.
    func release() { flock(file, LOCK_UN) }

    deinit { Glibc.close(file) }
}
