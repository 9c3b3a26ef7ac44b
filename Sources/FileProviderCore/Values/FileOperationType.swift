/// An operation and the items it works on, in the words of seed 004: progress, delegates and errors carry it.
public enum FileOperationType: Sendable, Hashable {
    case create(path: String)
    case copy(source: String, destination: String)
    case move(source: String, destination: String)
    case modify(path: String)
    case remove(path: String)
    case link(link: String, target: String)
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
    public var description: String { destination.map { "\(actionDescription) \(source) → \($0)" } ?? "\(actionDescription) \(source)" }
}
