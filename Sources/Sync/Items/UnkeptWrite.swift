import FileProviderCore
import Foundation

/// A file that a sync wrote and the storage may not have kept: the write failed, or a different file was found in its
/// place.
struct UnkeptWrite: Sendable, Equatable {
    /// The side that it was written to.
    var side: SyncSide
    /// Whether the current run found the problem and leaves it to the next run.
    var isFresh: Bool
    /// Whether the file found in its place already has a conflict copy.
    var hasCopy = false
    /// Whether only the beginning of the file is there, so that no one else's data is at risk.
    var isRest = false
}

/// The storage holds something other than what was just written.
struct UnkeptWriteError: LocalizedError {
    let path: ProviderPath
    /// The bytes written and the bytes found; `found` is `nil` if the file is missing.
    let written: Int64?
    let found: Int64?

    var errorDescription: String? {
        let what =
            switch (written, found) {
            case (_, nil): "“\(path)” is missing after it was written"
            case (let written?, let found?) where written != found:
                "“\(path)” is \(found) bytes long after \(written) bytes were written to it"
            default: "“\(path)” is not the file that was written"
            }
        return "\(what): the storage did not keep what was written. The next run tries again."
    }
}
