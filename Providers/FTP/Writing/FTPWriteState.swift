import FileProviderCore

/// What one upload or move may have on the server. Its steps share it in a `LockedValue`.
struct FTPWriteState: Sendable, CustomStringConvertible {
    /// The last step that may have changed the server, in their order.
    enum Stage: Comparable, Sendable {
        /// Nothing has been stored or renamed.
        case untouched
        /// `STOR` was sent, and its reply may be lost.
        case sending
        /// The server has begun to store, and the file may be incomplete.
        case storing
        /// The server has acknowledged all bytes of a file with a temporary name.
        case sent
        /// A renaming was sent, and its reply may be lost.
        case renaming
        /// The file that had the final name is at this path, or may be.
        case displaced(to: ProviderPath)
        /// The file has its final name, and nothing else is left.
        case placed
    }

    /// Where the file is before it gets its final name, or the path itself.
    var location: ProviderPath
    var stage = Stage.untouched
    /// Whether the path was free when it was looked at, or may be overwritten.
    var isPathFree = false
    /// The file that was at the path before it is overwritten in place.
    var previous: FileObject?
    /// The offset of the last `STOR` after `REST`, until the bytes before it are verified.
    var unprovenOffset: Int64?
    /// Whether the reply to `STOR` stated the number of bytes.
    var isCountStated = false
    /// Whether the server has shown the number of bytes. Otherwise its acknowledgement is the only proof.
    var isSizeSeen = true
    var isTimeSet = false

    var description: String {
        switch stage {
        case .untouched: "Nothing of “\(location)” has been stored or renamed."
        case .sending: "“\(location)” may exist."
        case .storing: "“\(location)” may be incomplete."
        case .sent: "“\(location)” is complete."
        case .renaming: "“\(location)” may have its final name."
        case .displaced(let path): "The file that “\(location)” replaces may be at “\(path)”."
        case .placed: "“\(location)” has its final name."
        }
    }
}
