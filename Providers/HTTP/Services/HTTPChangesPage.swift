public import FileProviderCore

/// One page of a feed of changes.
public struct HTTPChangesPage: Sendable {
    /// The changes, in the order in which they happened.
    public var changes: [HTTPChange]
    /// The token for the changes after these, now or later.
    public var nextToken: String
    /// Whether there are no more changes for now.
    public var isLast: Bool

    /// Creates a page: the last one for now, unless `isLast` is false.
    public init(_ changes: [HTTPChange], nextToken: String, isLast: Bool = true) {
        self.changes = changes
        self.nextToken = nextToken
        self.isLast = isLast
    }
}

/// One change as a server reports it, often without the state before.
public enum HTTPChange: Sendable {
    /// The item now exists, as described. A folder keeps its contents.
    ///
    /// `isNew` is nil if the server doesn't distinguish new items from changed ones. A file is then reported as created,
    /// and a folder's contents are listed again.
    case present(FileObject, isNew: Bool? = nil)
    /// Nothing is at the path any more, nor below it.
    case absent(ProviderPath)
    /// The item was elsewhere, and is at its own path now, with all it holds.
    case moved(FileObject, from: ProviderPath)
}
