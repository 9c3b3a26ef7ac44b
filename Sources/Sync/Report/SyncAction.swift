public import FileProviderCore

/// One step of a plan.
public struct SyncAction: Sendable, Hashable {
    /// What is done.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A folder, file or link is made that the side does not have.
        case create
        /// A file or link is replaced by the other side's version.
        case update
        /// A file goes where the other side has moved it.
        case move
        /// An item goes that the other side has no more.
        case remove
        /// Both sides have a version of their own: the one on ``SyncAction/side`` gets another name, and then both go
        /// to both sides.
        case conflict
        /// Nothing can be done, for ``SyncAction/reason``.
        case skip
        /// Both sides have the same already; only the state changes.
        case agree
        /// Neither side has it any more; only the state changes.
        case forget
    }

    /// What is done.
    public var kind: Kind
    /// The side that changes.
    public var side: SyncSide
    /// The item, counted from the two folders.
    public var path: ProviderPath
    /// Of a move, where the item is before it.
    public var from: ProviderPath?
    /// What the item is.
    public var type: FileType
    /// Bytes to be transferred.
    public var size: Int64?
    /// Whether what the side has goes to the trash, whatever the options say: nobody else has it.
    public var keepsOld: Bool
    /// Why nothing can be done, in a sentence.
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

    /// When the step is taken: what nothing has to be done for comes first, then names are made free, and nothing goes
    /// before everything else has arrived.
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
