/// An operation and the items it works on: progress, delegates and errors carry it.
public enum FileOperationType: Sendable, Hashable {
    /// Making a folder.
    case create(path: String)
    /// Copying; to or from this machine, one of the two is a path of it.
    case copy(source: String, destination: String)
    /// Moving or renaming.
    case move(source: String, destination: String)
    /// Writing a file, whether it was there or not.
    case modify(path: String)
    /// Removing an item, and of a folder what it holds.
    case remove(path: String)
    /// Making a symbolic link at `link` that leads to `target`.
    case link(link: String, target: String)
    /// Reading: a file, a listing, attributes, a search.
    case fetch(path: String)

    /// The verb, for a person.
    public var actionDescription: String {
        switch self {
        case .create: "Creating"
        case .copy: "Copying"
        case .move: "Moving"
        case .modify: "Writing"
        case .remove: "Removing"
        case .link: "Linking"
        case .fetch: "Reading"
        }
    }

    /// The item that the operation starts from.
    public var source: String {
        switch self {
        case .create(let path), .modify(let path), .remove(let path), .fetch(let path): path
        case .copy(let source, _), .move(let source, _): source
        case .link(let link, _): link
        }
    }

    /// Where the operation leads; nil where it stays with its source.
    public var destination: String? {
        switch self {
        case .create, .modify, .remove, .fetch: nil
        case .copy(_, let destination), .move(_, let destination): destination
        case .link(_, let target): target
        }
    }
}

extension FileOperationType: CustomStringConvertible {
    /// The verb and the items, for a person.
    public var description: String {
        destination.map { "\(actionDescription) \(source) → \($0)" } ?? "\(actionDescription) \(source)"
    }
}
