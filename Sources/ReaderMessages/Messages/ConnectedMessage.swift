/// What an application says of itself while it is in calibre connection mode (`connected.xml`).
public struct ConnectedMessage: Hashable, Sendable {
    /// Whether commands are carried out.
    public enum State: String, Hashable, Sendable, Codable {
        /// The application looks for commands.
        case online
        /// The application is in the background, or the device about to sleep: commands wait.
        case offline
    }

    /// The name of its file in the command staging folder.
    public static let fileName = "connected.xml"

    /// Seconds since 1970, by the application's clock.
    public var timestamp: Double?
    /// Whether commands are carried out.
    public var state: State
    /// What else the root element says, by attribute name: `device`, `system`, the application's version.
    public var attributes: [String: String]
    /// Whether the application is behind a password; an extension.
    public var hasPassword: Bool?

    /// An application in this state.
    public init(timestamp: Double? = nil, state: State, attributes: [String: String] = [:], hasPassword: Bool? = nil) {
        self.timestamp = timestamp
        self.state = state
        self.attributes = attributes
        self.hasPassword = hasPassword
    }
}

extension ConnectedMessage {
    /// The identifier of the application, by which a driver for it is chosen (attribute `application`; an extension).
    public var application: String? {
        get { attributes["application"] }
        set { attributes["application"] = newValue }
    }

    /// What the application does beyond the four commands, by the names of ``Capability`` (attribute `capabilities`; an
    /// extension).
    public var capabilities: Set<String> {
        get { Set((attributes["capabilities"] ?? "").split(separator: " ").map(String.init)) }
        set { attributes["capabilities"] = newValue.isEmpty ? nil : newValue.sorted().joined(separator: " ") }
    }

    /// Seconds after which the application writes its file anew; nil where it does not promise to (attribute
    /// `heartbeat`; an extension).
    public var heartbeat: Double? {
        get {
            attributes["heartbeat"].flatMap(MessageNumber.decimal).flatMap { (0.01...86_400).contains($0) ? $0 : nil }
        }
        set { attributes["heartbeat"] = newValue.map(MessageNumber.text) }
    }

    /// The name of the library's snapshot in the command staging folder (attribute `snapshot`; an extension).
    public var snapshot: String? {
        get { attributes["snapshot"] }
        set { attributes["snapshot"] = newValue }
    }

    /// The name of the folder in the command staging folder where documents are staged, empty for that folder itself
    /// (attribute `documents`; an extension).
    public var documents: String? {
        get { attributes["documents"] }
        set { attributes["documents"] = newValue }
    }

    /// What an application may do beyond the four commands.
    public enum Capability {
        /// Takes `update_metadata_items.xml`.
        public static let metadataItems = "update_metadata_items"
        /// Takes `command.xml`.
        public static let actions = "command"
        /// Puts books into the document staging folder when ``ReaderAction/exportBooks`` asks for them.
        public static let exporting = "export"
        /// Stops between two books when `cancel.command` appears.
        public static let cancelling = "cancel"
        /// Takes the words of calibre for its flags: collections called `NEW`, `READ` and `READING LIST`.
        public static let flags = "flags"
    }
}
