import FileProviderCore
import Foundation
import GRDB

/// Where the state of a pair lies on this machine's disk, and what SQLite's failures there mean.
struct SyncStateFile {
    private let file: URL

    /// The files of a state at `path`. Source: SQLite, Temporary Files Used By SQLite.
    static func files(at path: ProviderPath) throws -> [ProviderPath] {
        try ["", "-wal", "-shm", "-journal"].map {
            try (path.parent ?? .root).appending(nameBytes: path.nameBytes + Array($0.utf8))
        }
    }

    init(_ file: URL) {
        self.file = file
    }

    /// Makes the file where it is missing, with its folder, for its owner alone: the names of files are nobody else's
    /// business. Those that SQLite makes beside it are likewise. One that is there is not opened: closing it would give
    /// up SQLite's locks on it (fcntl(2)).
    func make() throws {
        try makeFolder()
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
                sentence: "The state “\(file.path)” cannot be made: \(String(cString: strerror(code))).",
                underlying: cause.underlying)
        }
        var status = stat()
        // SQLite takes a file of one byte for an empty one.
        if stat(file.path, &status) == 0, status.st_size == 1 { throw DatabaseError(resultCode: .SQLITE_NOTADB) }
    }

    private func makeFolder() throws {
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            let isForbidden = (error as? CocoaError)?.code == .fileWriteNoPermission
            throw FileError.make(
                isForbidden ? .fileWriteNoPermission : .fileWriteUnknown, path: file.path,
                sentence: "The folder of the state “\(file.path)” cannot be made.", underlying: error)
        }
    }

    /// What a failure of SQLite means to whoever named the file. Source: SQLite, Result and Error Codes.
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
                sentence: "The state “\(name)” is damaged; move it away, and both folders are compared anew.",
                underlying: error)
        case .SQLITE_CANTOPEN where !isForbidden:
            FileError.make(
                .fileWriteUnknown, path: file.path, sentence: "The state “\(file.path)” cannot be opened.",
                underlying: error)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN:
            FileError.make(
                .fileWriteNoPermission, path: file.path, sentence: "The state “\(file.path)” may not be written to.",
                underlying: error)
        case .SQLITE_FULL: FileError.make(.fileWriteOutOfSpace, path: file.path, underlying: error)
        default:
            FileError.make(
                .fileWriteUnknown, path: file.path, sentence: "The state “\(name)”: \(error)", underlying: error)
        }
    }

    /// Whether this user may not write the file, or not in its folder, where SQLite needs others beside it.
    private var isForbidden: Bool {
        let needs = [(file.path, R_OK | W_OK), (file.deletingLastPathComponent().path, W_OK | X_OK)]
        return needs.contains { access($0, $1) != 0 && [EACCES, EPERM, EROFS].contains(errno) }
    }
}

extension SyncFolder {
    /// The paths to leave out so that a state file inside this folder is not synchronised: the folder that holds it,
    /// with the states of other pairs, or the files of the state where it lies at the top. Blocks.
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
