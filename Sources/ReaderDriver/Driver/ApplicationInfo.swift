import ReaderMessages

/// Whether an application is there to take commands.
public enum ConnectionState: Hashable, Sendable {
    /// No application is in connection mode.
    case absent
    /// One is, but in the background: commands wait.
    case offline
    /// One is.
    case online(ApplicationInfo)
    /// One says that it is, and has stopped giving signs of life.
    case unresponsive
}

/// What an application says of itself; nothing of it is proven.
public struct ApplicationInfo: Hashable, Sendable, Codable {
    /// All that the root element of `connected.xml` says, by attribute name.
    public var attributes: [String: String]
    /// Whether the application is behind a password.
    public var hasPassword: Bool?

    /// From what `connected.xml` says.
    public init(_ connected: ConnectedMessage) {
        attributes = connected.attributes
        hasPassword = connected.hasPassword
    }

    /// The identifier of the application, by which its driver is chosen.
    public var application: String? { attributes["application"] }
    /// The name or model of the device.
    public var device: String? { attributes["device"] }
    /// The system of the device.
    public var system: String? { attributes["system"] }
    /// What the application does beyond the four commands, by the names of ``ConnectedMessage/Capability``.
    public var capabilities: Set<String> { connected.capabilities }
    /// The name of the list of books in the command staging folder.
    public var snapshot: String? { attributes["snapshot"] }
    /// The folder in the command staging folder where documents are staged; nil where the application does not say.
    public var documents: String? { attributes["documents"] }

    private var connected: ConnectedMessage { ConnectedMessage(state: .online, attributes: attributes) }
}

/// What can be done with an application through a driver.
public struct DriverCapabilities: Hashable, Sendable, Codable {
    /// The extensions of the files that it takes.
    public var formats: [String]
    /// Whether the books on the device can be listed.
    public var listsBooks: Bool
    /// Whether books on the device can be read.
    public var readsBooks: Bool
    /// Whether metadata can be changed.
    public var setsMetadata: Bool
    /// Whether books can be put into collections.
    public var setsCollections: Bool
    /// Whether a command that runs can be ended between two books.
    public var cancels: Bool
    /// Whether it takes updates that hold only what changes.
    public var setsSingleFields: Bool
    /// Whether it carries out actions by name.
    public var performsActions: Bool

    /// What an application that says this of itself can do.
    public init(_ info: ApplicationInfo, options: DriverOptions) {
        let offered = info.capabilities
        formats = ["epub"]
        listsBooks = info.snapshot != nil
        readsBooks =
            options.booksFolder != nil
            || offered.isSuperset(of: [ConnectedMessage.Capability.actions, ConnectedMessage.Capability.exporting])
        setsMetadata = true
        setsCollections = true
        cancels = offered.contains(ConnectedMessage.Capability.cancelling)
        setsSingleFields = offered.contains(ConnectedMessage.Capability.metadataItems)
        performsActions = offered.contains(ConnectedMessage.Capability.actions)
    }
}
