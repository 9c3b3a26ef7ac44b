/// An operation and its items, for progress, delegates and errors.
public enum FileOperationType: Sendable, Hashable {
    /// Creating a folder.
    case create(path: String)
    /// Copying; in an upload or a download, one of the two is a local path.
    case copy(source: String, destination: String)
    /// Moving or renaming.
    case move(source: String, destination: String)
    /// Writing a file, new or existing.
    case modify(path: String)
    /// Removing an item, a folder with everything in it.
    case remove(path: String)
    /// Creating a symbolic link at `link` that leads to `target`.
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

    /// The destination of the operation; nil if it has none.
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
