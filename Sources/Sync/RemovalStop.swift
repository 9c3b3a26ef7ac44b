import FileProviderCore
import Foundation

/// Why a run was stopped before it carried its plan out: it would have removed more than it may.
///
/// The underlying error of a `CocoaError(.fileWriteNoPermission)`, whose sentence is for people.
public enum RemovalStop: Error, Equatable, Sendable {
    /// So many removals are planned, of the items that both sides had in common; ``SyncOptions/removalLimit`` allows fewer.
    case overLimit(Int, of: Int)
    /// A side has nothing of what it had in common with the other.
    case emptySide(SyncSide, held: Int)

    func error(_ folders: Sides<SyncFolder>) -> CocoaError {
        let (folder, sentence) =
            switch self {
            case .overLimit(let removals, let agreed):
                (
                    folders.destination,
                    """
                    \(removals) of \(agreed) items would be removed by this run, which is more than the limit; it stopped before that. If \
                    that is meant, allow more.
                    """
                )
            case .emptySide(let side, let held):
                (
                    folders[side],
                    """
                    “\(folders[side].name)” has nothing of the \(held) items that it held when both sides were last in step; nothing was \
                    changed. If that is meant, allow all to be removed.
                    """
                )
            }
        return FileError.make(
            .fileWriteNoPermission, path: folder.path, url: folder.provider.url(of: folder.path), sentence: sentence, underlying: self)
    }
}

extension Error {
    /// What stopped a run before it carried its plan out; nil for other failures.
    public var removalStop: RemovalStop? { (self as? CocoaError)?.underlying as? RemovalStop }
}
