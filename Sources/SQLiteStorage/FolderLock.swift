import FileProviderCore
package import Foundation

/// The lock that lets only one process open a folder; it ends with the process in any case. Source: flock(2).
package final class FolderLock: Sendable {
    private let file: Int32

    /// Creates the lock file if it is missing, and locks it.
    ///
    /// - Parameters:
    ///   - folder: An existing folder of this machine.
    ///   - name: The name of the lock file.
    ///   - noun: What the folder is, such as "library", for the error's sentence.
    /// - Throws: `CocoaError(.fileWriteUnknown)` with the underlying error `EWOULDBLOCK` if another process has the
    ///   lock.
    package init(folder: URL, name: String, noun: String) throws {
        let path = folder.appendingPathComponent(name).path
        file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            let cause = errno
            // The path of a URL is always valid; the fallback would only appear in the sentence.
            throw FileError.make(errno: cause, path: (try? ProviderPath(path)) ?? .root, writing: true)
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let cause = POSIXErrorCode(rawValue: errno).map { POSIXError($0) }
            // `file` is initialized, so the throw runs `deinit`, which closes it.
            let sentence = "The \(noun) “\(folder.lastPathComponent)” is open in another process; close it there first."
            throw FileError.make(.fileWriteUnknown, path: folder.path, sentence: sentence, underlying: cause)
        }
    }

    /// Releases the lock. Deallocation does so, too.
    package func release() { flock(file, LOCK_UN) }

    deinit { Glibc.close(file) }
}
