import CLinux
import FileProviderCore
import Foundation

/// The operation and its item, for errors. Source of the codes: errno(3).
///
/// Created for each item of a tree and seldom needed, so the path is built only when an error needs it.
struct LocalContext: Sendable {
    private let start: ProviderPath
    /// Names from `start` down.
    private let names: [[UInt8]]
    private let last: [UInt8]?
    /// The root's URL, with a slash at its end.
    let base: String
    /// Whether the operation was to change something; Foundation has separate codes for reading and writing.
    let writing: Bool

    init(path: ProviderPath, base: String, writing: Bool) {
        self.init(path, [], nil, base: base, writing: writing)
    }

    private init(_ start: ProviderPath, _ names: [[UInt8]], _ last: [UInt8]?, base: String, writing: Bool) {
        self.start = start
        self.names = names
        self.last = last
        self.base = base
        self.writing = writing
    }

    /// The same item, for an operation that only reads.
    var reading: LocalContext { LocalContext(start, names, last, base: base, writing: false) }

    var path: ProviderPath {
        let below = last.map { names + [$0] } ?? names
        if below.isEmpty { return start }
        let bytes = below.reduce(into: start.bytes) { bytes, name in
            bytes.append(UInt8(ascii: "/"))
            bytes += name
        }
        // A name from the kernel always fits into a path; if it did not, the folder's own path would still be right.
        return (try? ProviderPath(bytes: bytes)) ?? start
    }

    var url: URL? { URL(string: base + path.percentEncoded) }

    /// Returns the context of the same operation for another item.
    func at(_ other: ProviderPath) -> LocalContext { LocalContext(path: other, base: base, writing: writing) }

    /// Returns the context of the same operation for an item below.
    func below(_ more: [[UInt8]]) -> LocalContext {
        if more.isEmpty { return self }
        if names.isEmpty, last == nil { return LocalContext(start, more, nil, base: base, writing: writing) }
        return LocalContext(start, names + (last.map { [$0] } ?? []) + more, nil, base: base, writing: writing)
    }

    /// Returns the context of the same operation for an item of this folder.
    func below(_ name: [UInt8]) -> LocalContext {
        if last == nil { return LocalContext(start, names, name, base: base, writing: writing) }
        return below([name])
    }

    func error(_ code: Int32 = errno) -> CocoaError {
        FileError.make(errno: code, path: path, url: url, writing: writing)
    }

    /// Returns the result of a system call.
    ///
    /// - Throws: The error of errno if the result is −1.
    @discardableResult
    func check(_ result: Int32) throws -> Int32 {
        guard result >= 0 else { throw error() }
        return result
    }

    /// A symbolic link on the way points to a place that this provider does not show.
    var leadsOut: CocoaError {
        FileError.make(
            .fileReadNoPermission, path: path, url: url,
            sentence: "A symbolic link on the way to “\(path)” leads out of this provider's root and was not followed."
        )
    }

    var intoItself: CocoaError {
        FileError.make(
            .fileWriteInvalidFileName, path: path, url: url,
            sentence: "“\(path)” is inside the folder to move or copy; a folder cannot go into itself.")
    }

    var special: CocoaError {
        FileError.make(
            writing ? .fileWriteUnknown : .fileReadUnknown, path: path, url: url,
            sentence: "“\(path)” is not a regular file but a device, a pipe or a socket.")
    }

    var changed: CocoaError { FileError.changedWhileReading(path, url: url) }

    /// The root cannot be moved, copied or removed.
    func rootIsFixed(_ verb: String) -> CocoaError {
        FileError.make(
            .fileWriteNoPermission, path: path, url: url, sentence: "The root of a provider cannot be \(verb).")
    }

    /// The file is not the version that the caller knows.
    var isOtherVersion: CocoaError {
        FileError.make(
            .fileWriteUnknown, path: path, url: url,
            sentence: "“\(path)” is no longer the version to replace. Look at it again before writing.")
    }

    /// The source gave another number of bytes than it had promised.
    func wrongLength(_ count: Int64, of expected: Int64) -> CocoaError {
        let given = count > expected ? "more than \(expected) bytes" : "\(count) of \(expected) bytes"
        return FileError.make(
            .fileWriteUnknown, path: path, url: url,
            sentence: "The source of “\(path)” gave \(given). Nothing was kept.")
    }
}

/// Combinations of flags for open(2).
enum LocalFlags {
    /// A folder to count paths from.
    static let folder = carrel_O_PATH | O_DIRECTORY | O_CLOEXEC
    /// A folder that must not be a symbolic link.
    static let realFolder = folder | O_NOFOLLOW
    /// Any item, a symbolic link itself included.
    static let item = carrel_O_PATH | O_NOFOLLOW | O_CLOEXEC
    /// A file to read. O_NONBLOCK: a pipe in its place must not hold the thread.
    static let read = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    /// A file to write in place.
    static let write = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    /// A folder whose names are to be read or synced to the disk.
    static let names = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
}
