import FileProviderCore
import Foundation
import GRDB

/// The file with a pair's state on this machine's disk, and the meaning of SQLite's errors there.
struct SyncStateFile {
    private let file: URL

    /// Returns the files of a state at `path`. Source: SQLite, Temporary Files Used By SQLite.
    static func files(at path: ProviderPath) throws -> [ProviderPath] {
        try ["", "-wal", "-shm", "-journal"].map {
            try (path.parent ?? .root).appending(nameBytes: path.nameBytes + Array($0.utf8))
        }
    }

    init(_ file: URL) {
        self.file = file
    }

    /// Creates the file and its folder if they are missing, readable by the owner only, because file names are private.
    /// SQLite gives its additional files the same permissions. An existing file is not opened: closing it would release
    /// SQLite's locks (fcntl(2)).
    func make() throws {
        try MissingFolder.create(file.deletingLastPathComponent(), of: ("state", file.path))
        let descriptor = open(file.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            _ = close(descriptor)
            return
        }
        let code = errno
        guard code == EEXIST else {
            let cause = FileError.make(errno: code, path: .root, writing: true)
            throw FileError.make(
                cause.code, path: file.path,
                sentence: "The state “\(file.path)” cannot be created: \(String(cString: strerror(code))).",
                underlying: cause.underlying)
        }
        var status = stat()
        // SQLite treats a file of one byte as empty.
        if stat(file.path, &status) == 0, status.st_size == 1 { throw DatabaseError(resultCode: .SQLITE_NOTADB) }
    }

    /// Returns an SQLite error as the caller should see it. Source: SQLite, Result and Error Codes.
    func error(_ error: DatabaseError) -> CocoaError {
        let name = file.lastPathComponent
        return switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            FileError.make(
                .fileLocking, path: file.path, sentence: "Another sync is running with the state “\(name)”.",
                underlying: error)
        case .SQLITE_NOTADB, .SQLITE_CORRUPT:
            FileError.make(
                .fileReadCorruptFile, path: file.path,
                sentence: "The state “\(name)” is damaged. Move it away; then both folders are compared again.",
                underlying: error)
        case .SQLITE_CANTOPEN where !isForbidden:
            FileError.make(
                .fileWriteUnknown, path: file.path, sentence: "The state “\(file.path)” cannot be opened.",
                underlying: error)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN:
            FileError.make(
                .fileWriteNoPermission, path: file.path,
                sentence: "The state “\(file.path)” cannot be written: permission denied.", underlying: error)
        case .SQLITE_FULL: FileError.make(.fileWriteOutOfSpace, path: file.path, underlying: error)
        default:
            FileError.make(
                .fileWriteUnknown, path: file.path, sentence: "The state “\(name)” cannot be used: \(error)",
                underlying: error)
        }
    }

    /// Whether this user lacks permission to write the file or its folder, where SQLite needs additional files.
    private var isForbidden: Bool {
        let needs = [(file.path, R_OK | W_OK), (file.deletingLastPathComponent().path, W_OK | X_OK)]
        return needs.contains { access($0, $1) != 0 && [EACCES, EPERM, EROFS].contains(errno) }
    }
}

extension SyncFolder {
    /// Returns the paths to exclude so that a state file inside this folder is not synced: the folder that holds it,
    /// with the states of other pairs, or the files of the state if it is at the top. Blocks.
    func leftOut(for state: URL) throws -> [ProviderPath] {
        let own = provider.url(of: path)
        guard own.isFileURL else { return [] }
        let (names, above) = (Self.address(of: state), Self.address(of: own))
        guard names.count > above.count, names.starts(with: above) else { return [] }
        let file = try names.dropFirst(above.count).reduce(ProviderPath.root) { try $0.appending($1) }
        if let folder = file.parent, !folder.isRoot { return [folder] }
        return try SyncStateFile.files(at: file)
    }
}
