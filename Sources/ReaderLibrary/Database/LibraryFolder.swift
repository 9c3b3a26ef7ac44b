import FileProviderCore
import Foundation
import LocalFileProvider
import SQLiteStorage

/// The folder of a library, with its subfolders.
struct LibraryFolder: Sendable {
    let url: URL
    /// The files of the folder; paths never lead out of it.
    let files: LocalFileProvider
    /// The books in the database, incoming ones, and files that others put there.
    let books: ProviderPath
    /// The covers, with random names.
    let covers: ProviderPath
    /// Unfinished files; emptied when the library is opened.
    let incoming: ProviderPath
    /// The lock, held until it is released or this value is deallocated.
    let lock: FolderLock

    /// Creates the folder and its subfolders if they are missing, and locks it against other processes.
    /// - Throws: Errors of the disk; `CocoaError(.fileWriteUnknown)` if another process has the library open, or if the
    ///   folder has files in a library's subfolders but no database: most likely the database was lost, and none of the
    ///   files would be listed.
    static func open(_ url: URL) async throws -> LibraryFolder {
        try await BlockingThreads.shared.run {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
        let lock = try await BlockingThreads.shared.run {
            try FolderLock(folder: url, name: "library.lock", noun: "library")
        }
        let folder = try LibraryFolder(url, lock: lock)
        let directories = [folder.books, folder.covers, folder.incoming]
        for directory in directories { try await folder.files.createFolderWithParents(path: directory) }
        if try await folder.hasDatabase() { return folder }
        for directory in directories where try await !folder.names(in: directory).isEmpty {
            let sentence =
                "“\(url.lastPathComponent)” has files in “\(directory.name)” but no library; choose another folder, or restore “library.sqlite”."
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

    /// Removes unfinished files of interrupted work.
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

    /// The database file.
    var database: URL { url.appendingPathComponent("library.sqlite") }

    /// Returns the names in one of the folders.
    func names(in folder: ProviderPath) async throws -> Set<String> {
        Set(try await files.contentsOfDirectory(path: folder).map(\.name))
    }

    /// Returns the path of `file`.
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for a name that leads out of the folder.
    func path(of file: LibraryFile) throws -> ProviderPath { try path(of: file.directory).appending(file.name) }

    /// Returns the path of one of the folders.
    func path(of directory: LibraryFile.Directory) -> ProviderPath {
        switch directory {
        case .books: books
        case .covers: covers
        }
    }

    /// Returns a new unique path for an unfinished file.
    func newIncoming(_ fileExtension: String) throws -> ProviderPath {
        try incoming.appending("\(UUID().uuidString).\(fileExtension)")
    }

    /// Returns the file URL for `path`.
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

    /// Flushes the names in the folder at `path` to the disk. Source: fsync(2).
    func sync(_ path: ProviderPath) async throws {
        let folder = location(of: path).path
        try await BlockingThreads.shared.run {
            try FileDescriptor(path: folder, flags: O_RDONLY | O_DIRECTORY).syncNames(path: path)
        }
    }

    /// Removes a file, which may be gone already.
    func remove(_ path: ProviderPath) async throws {
        do { try await files.removeItem(path: path, recursive: false) } catch let error where error.isNoSuchFile {}
    }
}
