import CLinux
import FileProviderCore
import Foundation

/// What an operation was about to do, for the errors it may meet. Source of the codes: errno(3).
///
/// Made for each item of a tree and seldom needed: the path is put together when an error asks for it.
struct LocalContext: Sendable {
    private let start: ProviderPath
    /// Names from `start` down.
    private let names: [[UInt8]]
    private let last: [UInt8]?
    /// The root's URL, with a slash at its end.
    let base: String
    /// Whether something was going to be changed; Foundation has a code of its own for each side.
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

    /// The same place, which is read only.
    var reading: LocalContext { LocalContext(start, names, last, base: base, writing: false) }

    var path: ProviderPath {
        let below = last.map { names + [$0] } ?? names
        if below.isEmpty { return start }
        let bytes = below.reduce(into: start.bytes) { bytes, name in
            bytes.append(UInt8(ascii: "/"))
            bytes += name
        }
        // A name that the kernel gave is one that a path can hold; were it not, the folder's own path is still right.
        return (try? ProviderPath(bytes: bytes)) ?? start
    }

    var url: URL? { URL(string: base + path.percentEncoded) }

    /// The same operation, as far as it is about another item.
    func at(_ other: ProviderPath) -> LocalContext { LocalContext(path: other, base: base, writing: writing) }

    /// The same operation, as far as it is about an item below.
    func below(_ more: [[UInt8]]) -> LocalContext {
        if more.isEmpty { return self }
        if names.isEmpty, last == nil { return LocalContext(start, more, nil, base: base, writing: writing) }
        return LocalContext(start, names + (last.map { [$0] } ?? []) + more, nil, base: base, writing: writing)
    }

    /// The same operation, as far as it is about an item of this folder.
    func below(_ name: [UInt8]) -> LocalContext {
        if last == nil { return LocalContext(start, names, name, base: base, writing: writing) }
        return below([name])
    }

    func error(_ code: Int32 = errno) -> CocoaError {
        FileError.make(errno: code, path: path, url: url, writing: writing)
    }

    /// Passes on what a system call gave back.
    ///
    /// - Throws: What errno says, when that was −1.
    @discardableResult
    func check(_ result: Int32) throws -> Int32 {
        guard result >= 0 else { throw error() }
        return result
    }

    /// A symbolic link on the way points to a place that this provider does not show.
    var leadsOut: CocoaError {
        FileError.make(
            .fileReadNoPermission, path: path, url: url,
            sentence: "A symbolic link on the way to “\(path)” leads out of this provider's root, which is not allowed."
        )
    }

    var intoItself: CocoaError {
        FileError.make(
            .fileWriteInvalidFileName, path: path, url: url,
            sentence: "“\(path)” lies in the folder that was to be put there; a folder cannot go into itself.")
    }

    var special: CocoaError {
        FileError.make(
            writing ? .fileWriteUnknown : .fileReadUnknown, path: path, url: url,
            sentence: "“\(path)” is not a regular file but a device, a pipe or the like.")
    }

    var changed: CocoaError { FileError.changedWhileReading(path, url: url) }

    /// The root stays where it is.
    func rootIsFixed(_ verb: String) -> CocoaError {
        FileError.make(
            .fileWriteNoPermission, path: path, url: url, sentence: "The root of a provider cannot be \(verb).")
    }

    /// The file is not the version that the caller knows.
    var isOtherVersion: CocoaError {
        FileError.make(
            .fileWriteUnknown, path: path, url: url,
            sentence: "“\(path)” is not the version that was to be replaced; look at it again before writing.")
    }

    /// The source gave another number of bytes than it had said.
    func wrongLength(_ count: Int64, of expected: Int64) -> CocoaError {
        let given = count > expected ? "more than \(expected) bytes" : "\(count) of \(expected) bytes"
        return FileError.make(
            .fileWriteUnknown, path: path, url: url,
            sentence: "The source of “\(path)” gave \(given); nothing was kept.")
    }
}

/// The flags of open(2) that Carrel uses together.
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
    /// A folder whose names are to be read or brought onto the disk.
    static let names = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
}
