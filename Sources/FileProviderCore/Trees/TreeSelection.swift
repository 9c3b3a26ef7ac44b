/// Which items below a folder take part in a copy or a removal.
///
/// An excluded folder is not entered, whatever it holds.
public struct TreeSelection: Sendable {
    /// What becomes of one item.
    public enum Part: Sendable, Hashable {
        /// It takes part itself. What is in a folder is asked about item by item.
        case taken
        /// The folder is left out but entered: an item in it may be selected.
        case passed
        /// The item is left out; a folder is not entered.
        case leftOut
    }

    private let decide: @Sendable (_ path: ProviderPath, _ isFolder: Bool) -> Part
    /// Whether there is nothing to ask: trees may have very many items.
    private var isAll = false

    /// Asks `decide` about each item.
    ///
    /// - Parameter decide: Called with an item's path, counted from the folder that the copy or removal begins with,
    ///   and whether the item is a folder. The root stands for that folder itself. Called from several tasks at once.
    public init(_ decide: @escaping @Sendable (_ path: ProviderPath, _ isFolder: Bool) -> Part) {
        self.decide = decide
    }

    /// Everything takes part.
    public static let all = {
        var all = TreeSelection { _, _ in .taken }
        all.isAll = true
        return all
    }()

    /// What becomes of the item at `path`, counted from the folder that the copy or removal begins with.
    public func part(of path: ProviderPath, isFolder: Bool) -> Part { decide(path, isFolder) }

    /// What becomes of an item in a tree that begins at `folder`; an item that is not in that tree is left out.
    func part(of item: FileObject, below folder: ProviderPath) -> Part {
        if isAll { return .taken }
        return item.path.relative(to: folder).map { part(of: $0, isFolder: item.isDirectory) } ?? .leftOut
    }
}
