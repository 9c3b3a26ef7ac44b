import FileProviderCore
package import Foundation

/// The reason why a run stopped before it carried out its plan: it would have removed more than it may.
///
/// This is not an error but a value for programs. The run throws `CocoaError(.fileWriteNoPermission)` with a sentence
/// for people; ``Swift/Error/removalStop`` reads this value from that error's ``userInfoKey``.
public enum RemovalStop: Hashable, Sendable, CustomStringConvertible {
    /// The number of planned removals, and of how many agreed items; ``SyncOptions/removalLimit`` allows fewer.
    case overLimit(Int, of: Int)
    /// A side has none of the items that it had in common with the other.
    case emptySide(SyncSide, held: Int)

    /// The key of this value in an error's `userInfo`.
    public static let userInfoKey = "carrel.removalStop"

    /// The numbers alone. The sentence of the error says what to do.
    public var description: String {
        switch self {
        case .overLimit(let removals, let agreed): "Removing \(removals) of \(agreed) items is over the limit."
        case .emptySide(let side, let held): "The \(side) has none of \(held) \(held == 1 ? "item" : "items")."
        }
    }

    /// - Parameter losesAll: Whether the other side of an empty one would lose every item the sides had in common if
    ///   that were allowed.
    func error(_ folders: Sides<SyncFolder>, losesAll: Bool = true) -> CocoaError {
        let (folder, sentence) =
            switch self {
            case .overLimit(let removals, let agreed):
                (
                    folders.destination,
                    """
                    This run would remove \(removals) of \(agreed) items, which is over the limit, so it stopped before \
                    removing them. If this is intended, raise the limit.
                    """
                )
            case .emptySide(let side, let held):
                (
                    folders[side],
                    """
                    “\(folders[side].shown)” has \(held == 1 ? "lost the one item" : "none of the \(held) items") that it \
                    held when both sides were last in step. Nothing was changed. \
                    \(consequence(folders, side, held, losesAll))
                    """
                )
            }
        return error(folder.path.string, url: folder.provider.url(of: folder.path), sentence: sentence)
    }

    /// - Parameter path: The path of the folder that the sentence is about.
    package func error(_ path: String, url: URL? = nil, sentence: String) -> CocoaError {
        let error = FileError.make(.fileWriteNoPermission, path: path, url: url, sentence: sentence)
        return CocoaError(error.code, userInfo: error.userInfo.merging([Self.userInfoKey: self]) { $1 })
    }

    private func consequence(_ folders: Sides<SyncFolder>, _ side: SyncSide, _ held: Int, _ losesAll: Bool)
        -> String
    {
        if !losesAll { return "The other side would lose nothing. If this is intended, allow all to be removed." }
        return """
            If “\(folders[side.other].shown)” is to lose \(held == 1 ? "it" : "them"), too, allow all to be removed. \
            To fill “\(folders[side].shown)” again, start with a new state.
            """
    }
}

extension Error {
    /// The reason why a run stopped before it carried out its plan, or `nil` for other failures.
    public var removalStop: RemovalStop? { (self as? CocoaError)?.userInfo[RemovalStop.userInfoKey] as? RemovalStop }
}

extension SyncFolder {
    /// The folder's URL for use in sentences, without percent-encoding.
    fileprivate var shown: String { name.removingPercentEncoding ?? name }
}
