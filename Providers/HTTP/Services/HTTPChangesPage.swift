public import FileProviderCore

/// One page of a feed of changes.
public struct HTTPChangesPage: Sendable {
    /// In the order in which they happened.
    public var changes: [HTTPChange]
    /// What comes after these is asked for with it, now or later.
    public var nextToken: String
    /// Whether there is no more for now.
    public var isLast: Bool

    /// The last page for now, unless there is said to be more.
    public init(_ changes: [HTTPChange], nextToken: String, isLast: Bool = true) {
        self.changes = changes
        self.nextToken = nextToken
        self.isLast = isLast
    }
}

/// One change as a server tells it, often without telling what was there before.
public enum HTTPChange: Sendable {
    /// The item is there now, as described. A folder keeps what it holds.
    ///
    /// `isNew` is nil where the server does not tell a new item from one that changed: a file is then told as created,
    /// which is true of both, and what a folder holds is to be listed anew.
    case present(FileObject, isNew: Bool? = nil)
    /// Nothing is at the path any more, nor below it.
    case absent(ProviderPath)
    /// The item was elsewhere, and is at its own path now, with all it holds.
    case moved(FileObject, from: ProviderPath)
}
