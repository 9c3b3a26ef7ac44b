import FileProviderCore
import SFTPEngine

/// What one upload, copy or move may have on the server. Its steps share it in a `LockedValue`.
struct SFTPWriteState: Sendable, CustomStringConvertible {
    /// The last step that may have changed the server, in their order.
    enum Stage: Comparable, Sendable {
        /// Nothing has been created or renamed.
        case untouched
        /// `OPEN` was sent, and its reply may be lost.
        case opening
        /// The file exists and may be incomplete.
        case opened
        /// The server has acknowledged all bytes.
        case sent
        /// A renaming was sent, and its reply may be lost.
        case renaming
        /// An empty file of this write holds the final name.
        case placeholder
        /// The file that had the final name is at this path, or may be.
        case displaced(to: ProviderPath)
        /// The file has its final name, and nothing else is left.
        case placed
    }

    /// Where the file is before it gets its final name.
    var location: ProviderPath
    var stage = Stage.untouched
    /// The session on which the file was opened last. Requests on it arrive after the opening, even if its reply was
    /// not awaited.
    var session: SFTPSession?
    /// The permission bits for the file: the requested ones, or else those of the file that it replaces.
    var permissions: UInt32?
    /// The number of bytes that the server had acknowledged, without a gap, when the last try failed; `nil` if unknown.
    var acknowledged: Int64?

    /// The path to which the old file was moved, or may have been.
    var displaced: ProviderPath? { if case .displaced(let path) = stage { path } else { nil } }

    var description: String {
        switch stage {
        case .untouched: "Nothing of “\(location)” has been written or renamed."
        case .opening: "“\(location)” may exist."
        case .opened: "“\(location)” may be incomplete."
        case .sent: "“\(location)” is complete."
        case .renaming: "“\(location)” may have its final name."
        case .placeholder: "An empty file holds the final name of “\(location)”."
        case .displaced(let path): "The file that “\(location)” replaces may be at “\(path)”."
        case .placed: "“\(location)” has its final name."
        }
    }
}
