/// The items below a folder that take part in a copy or a removal.
///
/// An excluded folder is not entered, whatever it holds.
public struct TreeSelection: Sendable {
    /// The decision about one item.
    public enum Part: Sendable, Hashable {
        /// It takes part. The items of a folder are decided one by one.
        case taken
        /// The folder is left out but entered: an item in it may be selected.
        case passed
        /// The item is left out; a folder is not entered.
        case leftOut
    }

    private let decide: @Sendable (_ path: ProviderPath, _ isFolder: Bool) -> Part
    /// Whether `decide` need not be called: trees may have very many items.
    private var isAll = false

    /// Creates a selection that calls `decide` for each item.
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

    /// Returns the decision about the item at `path`, counted from the folder that the copy or removal begins with.
    public func part(of path: ProviderPath, isFolder: Bool) -> Part { decide(path, isFolder) }

    /// Returns the decision about an item in a tree that begins at `folder`; an item outside that tree is left out.
    func part(of item: FileObject, below folder: ProviderPath) -> Part {
        if isAll { return .taken }
        return item.path.relative(to: folder).map { part(of: $0, isFolder: item.isDirectory) } ?? .leftOut
    }
}
