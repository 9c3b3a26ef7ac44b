/// An application's description of itself while it is in calibre connection mode (`connected.xml`).
public struct ConnectedMessage: Hashable, Sendable {
    /// The state of the application.
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
    /// The state of the application.
    public var state: State
    /// The further attributes of the root element by name: `device`, `system`, the application's version.
    public var attributes: [String: String]
    /// Whether the application is protected by a password; an extension.
    public var hasPassword: Bool?

    /// Creates the message of an application in this state.
    public init(timestamp: Double? = nil, state: State, attributes: [String: String] = [:], hasPassword: Bool? = nil) {
        self.timestamp = timestamp
        self.state = state
        self.attributes = attributes
        self.hasPassword = hasPassword
    }
}

extension ConnectedMessage {
    /// The identifier of the application, which selects its driver (attribute `application`; an extension).
    public var application: String? {
        get { attributes["application"] }
        set { attributes["application"] = newValue }
    }

    /// What the application supports beyond the four commands, by the names of ``Capability`` (attribute
    /// `capabilities`; an extension).
    public var capabilities: Set<String> {
        get { Set((attributes["capabilities"] ?? "").split(separator: " ").map(String.init)) }
        set { attributes["capabilities"] = newValue.isEmpty ? nil : newValue.sorted().joined(separator: " ") }
    }

    /// The interval in seconds at which the application rewrites its file; `nil` if it makes no promise (attribute
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

    /// The name of the folder for documents inside the command staging folder; empty for the staging folder itself
    /// (attribute `documents`; an extension).
    public var documents: String? {
        get { attributes["documents"] }
        set { attributes["documents"] = newValue }
    }

    /// The names of what an application may support beyond the four commands.
    public enum Capability {
        /// Accepts `update_metadata_items.xml`.
        public static let metadataItems = "update_metadata_items"
        /// Accepts `command.xml`.
        public static let actions = "command"
        /// Copies books into the document staging folder for ``ReaderAction/exportBooks``.
        public static let exporting = "export"
        /// Stops between two books when `cancel.command` appears.
        public static let cancelling = "cancel"
        /// Treats calibre's collections `NEW`, `READ` and `READING LIST` as flags.
        public static let flags = "flags"
    }
}
