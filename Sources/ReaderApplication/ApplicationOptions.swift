import ReaderMessages

/// The options of an application in the protocol. Times are in seconds.
public struct ApplicationOptions: Hashable, Sendable, Codable {
    /// The application's identifier, which selects its driver.
    public var application: String
    /// Further attributes of `connected.xml` by name: `device`, `system`, a version.
    public var attributes: [String: String] = [:]
    /// The name of the folder for documents inside the command staging folder; empty for the staging folder itself.
    public var documents = "documents"
    /// The name of the library's snapshot in the command staging folder.
    public var snapshot = "library.sqlite"
    /// What it supports beyond the four commands, by the names of ``/ReaderMessages/ConnectedMessage/Capability``.
    public var capabilities: Set<String> = [
        ConnectedMessage.Capability.metadataItems, ConnectedMessage.Capability.actions,
        ConnectedMessage.Capability.exporting,
        ConnectedMessage.Capability.cancelling,
    ]
    /// The interval between two writes of `connected.xml`.
    public var heartbeat = 10.0
    /// The longest interval between two writes of `status.xml` during a command; drivers wait 15 s.
    public var statusInterval = 5.0
    /// The shortest interval between two writes of `status.xml`, except for the first and the last of a command.
    public var statusPause = 0.25
    /// The polling interval for commands if the storage doesn't report changes: at first, and later while nothing
    /// arrives. Drivers expect an answer within 15 s.
    public var pollInterval = PollInterval(shortest: 0.25, longest: 2)
    /// The time that an incomplete command has to become complete.
    public var incompleteTime = 10.0
    /// The time that a command waits for the driver to read the status of the previous one.
    public var statusTaken = 30.0
    /// The age at which a half-written file of a driver is removed.
    public var leftoverAge = 3600.0
    /// The age at which a staged document that no command uses is removed.
    public var documentAge = 86_400.0
    /// The largest command in bytes.
    public var largestCommand = 64 << 20
    /// Whether messages begin with a byte order mark.
    public var writesByteOrderMark = true

    /// The range of a growing interval.
    public struct PollInterval: Hashable, Sendable, Codable {
        /// The interval after an event.
        public var shortest: Double
        /// The interval after a long time without events.
        public var longest: Double

        /// Creates an interval; both values are in seconds.
        public init(shortest: Double, longest: Double) {
            self.shortest = shortest
            self.longest = longest
        }
    }

    /// Creates the default options for the application with this identifier.
    public init(application: String) {
        self.application = application
    }

    /// The options with times limited so that no loop spins, whatever an options file contains.
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
