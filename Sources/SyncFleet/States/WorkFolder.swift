import FileProviderCore
import Foundation

/// A folder for the working copies of one process, locked as long as the process lives. Source: flock(2).
///
/// Only a folder whose lock is free belongs to a dead process, so its files are never taken for states: they are
/// removed when the next process starts.
final class WorkFolder: Sendable {
    let url: URL
    private let lock: Int32

    private static let lockName = "carrel-fleet.lock"

    /// Makes a folder in `all`, which is created if missing, and removes the folders of dead processes. Blocks.
    ///
    /// - Throws: `CocoaError` if a folder or a lock can't be made.
    init(in all: URL) throws {
        try MissingFolder.create(all)
        // Between making a folder and locking it, the folder looks like one of a dead process.
        let turn = try Self.open(all.appending(path: Self.lockName))
        defer { Glibc.close(turn) }
        try Self.wait(for: turn, all)
        try Self.sweep(all)
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        url = all.appending(path: name, directoryHint: .isDirectory)
        try MissingFolder.create(url)
        lock = try Self.open(url.appending(path: Self.lockName))
        // Deallocation closes the file.
        try Self.wait(for: lock, url)
    }

    deinit { Glibc.close(lock) }

    /// Removes the folder when its process ends in order. Blocks.
    func remove() throws { try FileManager.default.removeItem(at: url) }

    private static func sweep(_ all: URL) throws {
        for folder in try FileManager.default.contentsOfDirectory(at: all, includingPropertiesForKeys: nil)
        where folder.lastPathComponent != lockName {
            let file = Glibc.open(folder.appending(path: lockName).path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            if file < 0 {
                // Of a process that died before it made its lock. Fails for anything that is not empty, and is no folder of ours.
                if errno == ENOENT { _ = rmdir(folder.path) }
                continue
            }
            defer { Glibc.close(file) }
            // What can't be removed stays for the next start.
            if flock(file, LOCK_EX | LOCK_NB) == 0 { try? FileManager.default.removeItem(at: folder) }
        }
    }

    private static func open(_ file: URL) throws -> Int32 {
        let descriptor = Glibc.open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor < 0 { throw error(errno, file) }
        return descriptor
    }

    private static func wait(for lock: Int32, _ folder: URL) throws {
        while flock(lock, LOCK_EX) != 0 {
            let cause = errno
            if cause != EINTR { throw error(cause, folder) }
        }
    }

    private static func error(_ cause: Int32, _ file: URL) -> CocoaError {
        let code = FileError.make(errno: cause, path: .root, writing: true)
        return FileError.make(
            code.code, path: file.path,
            sentence: "“\(file.path)” cannot be locked: \(String(cString: strerror(cause))).",
            underlying: code.underlying)
    }
}
