public import FileProviderCore

/// One step of a plan.
public struct SyncAction: Sendable, Hashable {
    /// The kind of step.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// Creates a folder, file or link that the side doesn't have.
        case create
        /// Replaces a file or link with the other side's version.
        case update
        /// Moves a file to where the other side has moved it.
        case move
        /// Removes an item that the other side no longer has.
        case remove
        /// Renames the version on ``SyncAction/side`` because both sides changed the item; then both versions go to
        /// both sides.
        case conflict
        /// Does nothing, because of ``SyncAction/reason``.
        case skip
        /// Records that both sides already have the same; only the state changes.
        case agree
        /// Records that neither side has the item any more; only the state changes.
        case forget
    }

    /// The kind of step.
    public var kind: Kind
    /// The side that changes.
    public var side: SyncSide
    /// The path of the item, relative to the two folders.
    public var path: ProviderPath
    /// The path of a moved item before the move.
    public var from: ProviderPath?
    /// The type of the item.
    public var type: FileType
    /// The number of bytes to transfer.
    public var size: Int64?
    /// Whether the side's version goes to the trash whatever the options say, because it is the only copy.
    public var keepsOld: Bool
    /// A sentence saying why nothing can be done.
    public var reason: String?

    init(
        _ kind: Kind, on side: SyncSide, path: ProviderPath, from: ProviderPath? = nil, type: FileType,
        size: Int64? = nil,
        keepsOld: Bool = false, reason: String? = nil
    ) {
        self.kind = kind
        self.side = side
        self.path = path
        self.from = from
        self.type = type
        self.size = size
        self.keepsOld = keepsOld
        self.reason = reason
    }

    /// The phase of the step. Steps that need no work come first, then names are freed, and removals come last.
    var phase: Phase {
        switch kind {
        case .agree, .forget: .note
        case .conflict: .setAside
        case .create where type == .directory: .makeFolders
        case .move: .move
        case .create, .update, .skip: .transfer
        case .remove: type == .directory ? .removeFolders : .removeFiles
        }
    }

    /// The order of a run.
    enum Phase: Int, Sendable, CaseIterable {
        case note, setAside, makeFolders, move, transfer, removeFiles, removeFolders
    }
}
