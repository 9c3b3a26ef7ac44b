import FileProviderCore
import Foundation

/// A file that a sync has written and whose storage may not have kept it: the write failed, or something else was found
/// in its place.
struct UnkeptWrite: Sendable, Equatable {
    /// Where it was written.
    var side: SyncSide
    /// Whether the run under way has found it, and leaves it to the next one.
    var isFresh: Bool
    /// Whether what was found in its place has a conflict copy already.
    var hasCopy = false
    /// Whether nothing is there but the beginning of the file, and so nothing of somebody else's.
    var isRest = false
}

/// Something else is there than what was written a moment ago.
struct UnkeptWriteError: LocalizedError {
    let path: ProviderPath
    /// Bytes written, and bytes that are there; nil for no file.
    let written: Int64?
    let found: Int64?

    var errorDescription: String? {
        let what =
            switch (written, found) {
            case (_, nil): "“\(path)” is missing after it was written"
            case (let written?, let found?) where written != found:
                "“\(path)” is \(found) bytes long after \(written) bytes were written to it"
            default: "“\(path)” is another file than was written"
            }
        return "\(what): the storage did not keep what was written. The next run tries it once more."
    }
}
