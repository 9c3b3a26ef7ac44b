import ReaderMessages

/// The state of the connection to a reader application.
public enum ConnectionState: Hashable, Sendable {
    /// No application is in connection mode.
    case absent
    /// An application is connected but in the background: commands wait.
    case offline
    /// An application is connected.
    case online(ApplicationInfo)
    /// An application claims to be connected but gives no signs of life.
    case unresponsive
}

/// An application's own description; nothing in it is verified.
public struct ApplicationInfo: Hashable, Sendable, Codable {
    /// The attributes of the root element of `connected.xml`, by name.
    public var attributes: [String: String]
    /// Whether the application is protected by a password.
    public var hasPassword: Bool?

    /// Creates the description from `connected.xml`.
    public init(_ connected: ConnectedMessage) {
        attributes = connected.attributes
        hasPassword = connected.hasPassword
    }

    /// The identifier of the application, which selects its driver.
    public var application: String? { attributes["application"] }
    /// The name or model of the device.
    public var device: String? { attributes["device"] }
    /// The system of the device.
    public var system: String? { attributes["system"] }
    /// What the application supports beyond the four commands, by the names of
    /// ``/ReaderMessages/ConnectedMessage/Capability``.
    public var capabilities: Set<String> { connected.capabilities }
    /// The name of the list of books in the command staging folder.
    public var snapshot: String? { attributes["snapshot"] }
    /// The folder for documents inside the command staging folder; `nil` if the application doesn't say.
    public var documents: String? { attributes["documents"] }

    private var connected: ConnectedMessage { ConnectedMessage(state: .online, attributes: attributes) }
}

/// The abilities of an application as seen through a driver.
public struct DriverCapabilities: Hashable, Sendable, Codable {
    /// The file extensions that it accepts.
    public var formats: [String]
    /// Whether the books on the device can be listed.
    public var listsBooks: Bool
    /// Whether books on the device can be read.
    public var readsBooks: Bool
    /// Whether metadata can be changed.
    public var setsMetadata: Bool
    /// Whether books can be put into collections.
    public var setsCollections: Bool
    /// Whether a running command can be stopped between two books.
    public var cancels: Bool
    /// Whether it accepts updates that contain only the changed values.
    public var setsSingleFields: Bool
    /// Whether it supports actions by name.
    public var performsActions: Bool

    /// Derives the abilities from an application's description.
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
