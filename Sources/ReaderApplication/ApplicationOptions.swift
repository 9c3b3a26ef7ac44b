import ReaderMessages

/// How an application takes part in the protocol. Times are in seconds.
public struct ApplicationOptions: Hashable, Sendable, Codable {
    /// The application's identifier, by which drivers know it.
    public var application: String
    /// What else `connected.xml` says, by attribute name: `device`, `system`, a version.
    public var attributes: [String: String] = [:]
    /// The name of the folder in the command staging folder where documents are staged; empty for that folder itself.
    public var documents = "documents"
    /// The name of the library's snapshot in the command staging folder.
    public var snapshot = "library.sqlite"
    /// What it does beyond the four commands, by the names of ``ConnectedMessage/Capability``.
    public var capabilities: Set<String> = [
        ConnectedMessage.Capability.metadataItems, ConnectedMessage.Capability.actions,
        ConnectedMessage.Capability.exporting,
        ConnectedMessage.Capability.cancelling,
    ]
    /// How often `connected.xml` is written anew.
    public var heartbeat = 10.0
    /// How often at least `status.xml` is written anew while a command is carried out; drivers wait 15 s.
    public var statusInterval = 5.0
    /// How long at least two writes of `status.xml` are apart, but for the first and the last of a command.
    public var statusPause = 0.25
    /// How often commands are looked for where the storage does not tell of changes: at first, and later, when nothing
    /// comes. Drivers expect an answer within 15 s.
    public var pollInterval = PollInterval(shortest: 0.25, longest: 2)
    /// How long a command that ends too early may take to become complete.
    public var incompleteTime = 10.0
    /// How long a command waits for the driver to take the status of the one before.
    public var statusTaken = 30.0
    /// How old a file has to be that a driver left half written, before it is removed.
    public var leftoverAge = 3600.0
    /// How old a staged document has to be that no command wants, before it is removed.
    public var documentAge = 86_400.0
    /// The largest command in bytes.
    public var largestCommand = 64 << 20
    /// Whether messages begin with a byte order mark.
    public var writesByteOrderMark = true

    /// Two times that a wait grows between.
    public struct PollInterval: Hashable, Sendable, Codable {
        /// After something happened.
        public var shortest: Double
        /// When nothing happens for long.
        public var longest: Double

        /// Both in seconds.
        public init(shortest: Double, longest: Double) {
            self.shortest = shortest
            self.longest = longest
        }
    }

    /// The usual ways of the application with this identifier.
    public init(application: String) {
        self.application = application
    }

    /// The same with times that no loop spins at, whatever a file of options said.
    var bounded: ApplicationOptions {
        func bounded(_ seconds: Double, _ least: Double) -> Double {
            seconds.isFinite ? min(max(seconds, least), 86_400 * 365) : least
        }
        var options = self
        for time in [\ApplicationOptions.heartbeat, \.statusInterval, \.statusPause, \.pollInterval.shortest] {
            options[keyPath: time] = bounded(options[keyPath: time], 0.005)
        }
        options.pollInterval.longest = bounded(pollInterval.longest, options.pollInterval.shortest)
        for time in [\ApplicationOptions.incompleteTime, \.statusTaken, \.leftoverAge, \.documentAge] {
            options[keyPath: time] = bounded(options[keyPath: time], 0)
        }
        options.largestCommand = max(1, largestCommand)
        return options
    }

    var coding: MessageCoding {
        var coding = MessageCoding()
        coding.writesByteOrderMark = writesByteOrderMark
        coding.limits.command = largestCommand
        return coding
    }
}
