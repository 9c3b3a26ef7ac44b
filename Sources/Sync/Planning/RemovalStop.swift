import FileProviderCore
package import Foundation

/// Why a run was stopped before it carried its plan out: it would have removed more than it may.
///
/// No error: a value beside one, for programs. The run throws `CocoaError(.fileWriteNoPermission)` with a sentence for
/// people, and ``Swift/Error/removalStop`` is what that error has of it under ``userInfoKey``.
public enum RemovalStop: Hashable, Sendable, CustomStringConvertible {
    /// So many removals are planned, of the items that both sides had in common; ``SyncOptions/removalLimit`` allows
    /// fewer.
    case overLimit(Int, of: Int)
    /// A side has nothing of what it had in common with the other.
    case emptySide(SyncSide, held: Int)

    /// Where an error has it in its `userInfo`.
    public static let userInfoKey = "carrel.removalStop"

    /// The numbers alone; what to do about it is in the sentence of the error.
    public var description: String {
        switch self {
        case .overLimit(let removals, let agreed): "\(removals) removals of \(agreed) items are over the limit."
        case .emptySide(let side, let held): "The \(side) has nothing of \(held) items."
        }
    }

    /// - Parameter losesAll: Whether the other side of an empty one would lose all that it has in common with it, were
    ///   that allowed.
    func error(_ folders: Sides<SyncFolder>, losesAll: Bool = true) -> CocoaError {
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
                    “\(folders[side].shown)” has nothing of the \(held) items that it held when both sides were last in step; nothing was \
                    changed. \(consequence(folders, side, losesAll))
                    """
                )
            }
        return error(folder.path.string, url: folder.provider.url(of: folder.path), sentence: sentence)
    }

    /// - Parameter path: Of the folder that the sentence is about.
    package func error(_ path: String, url: URL? = nil, sentence: String) -> CocoaError {
        let error = FileError.make(.fileWriteNoPermission, path: path, url: url, sentence: sentence)
        return CocoaError(error.code, userInfo: error.userInfo.merging([Self.userInfoKey: self]) { $1 })
    }

    private func consequence(_ folders: Sides<SyncFolder>, _ side: SyncSide, _ losesAll: Bool) -> String {
        if !losesAll { return "The other side would lose nothing: if that is meant, allow all to be removed." }
        return """
            If “\(folders[side.other].shown)” is to lose them, too, allow all to be removed; if “\(folders[side].shown)” is to be filled anew, \
            begin with a new state.
            """
    }
}

extension Error {
    /// What stopped a run before it carried its plan out; nil for other failures.
    public var removalStop: RemovalStop? { (self as? CocoaError)?.userInfo[RemovalStop.userInfoKey] as? RemovalStop }
}

extension SyncFolder {
    /// The folder's URL as sentences have paths: not percent-encoded.
    fileprivate var shown: String { name.removingPercentEncoding ?? name }
}
