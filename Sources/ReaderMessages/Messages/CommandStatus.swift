/// The progress of an application on a command (`status.xml`).
public struct CommandStatus: Hashable, Sendable {
    /// The state of the command.
    public enum Code: Int, Hashable, Sendable, Codable {
        /// Being carried out.
        case inProgress = -1
        /// Done.
        case success = 0
        /// Done, with warnings.
        case warnings = 1
        /// Not done.
        case failure = 2
        /// Stopped because the driver asked for it; an extension.
        case cancelled = 3
    }

    /// The name of its file in the command staging folder.
    public static let fileName = "status.xml"
    /// The file by which a driver asks the application to stop between two books; an extension.
    public static let cancelFileName = "cancel.command"

    /// Seconds since 1970, by the application's clock.
    public var timestamp: Double?
    /// The state of the command.
    public var code: Code
    /// From 0 to 1; 1 with every code but ``Code/inProgress``, and with no other.
    public var progress: Double
    /// Messages for the user.
    public var messages: [StatusMessage]
    /// The file name of the command that the status is about; an extension.
    public var command: String?
    /// The timestamp of that command as written there; an extension.
    public var commandTimestamp: String?

    /// Creates the status of one command.
    public init(
        timestamp: Double? = nil, code: Code, progress: Double, messages: [StatusMessage] = [], command: String? = nil,
        commandTimestamp: String? = nil
    ) {
        self.timestamp = timestamp
        self.code = code
        self.progress = progress
        self.messages = messages
        self.command = command
        self.commandTimestamp = commandTimestamp
    }

    /// Whether the command is over.
    public var isFinal: Bool { code != .inProgress }
}

/// A sentence for the user. On the wire, the name of the file that it is about precedes it in brackets.
public struct StatusMessage: Hashable, Sendable, Codable {
    /// The file name of the book as in the command, or of the command itself; `nil` if it is about no file.
    public var filename: String?
    /// The sentence.
    public var text: String

    /// Creates a message about a file, or about none.
    public init(_ text: String, about filename: String? = nil) {
        self.filename = filename
        self.text = text
    }

    /// Parses `[filename] text`. Without brackets at the start, or with empty ones, everything is text.
    public init(wire: String) {
        // A file name may contain brackets; the first one before a space closes the name, or the one at the end.
        guard wire.hasPrefix("["),
            let close = wire.firstRange(of: "] ")?.lowerBound
                ?? (wire.hasSuffix("]") ? wire.index(before: wire.endIndex) : nil)
        else { self.init(wire); return }
        let name = String(wire[wire.index(after: wire.startIndex)..<close])
        guard !name.isEmpty else { self.init(wire); return }
        let text = wire[wire.index(after: close)...].drop { $0 == " " }
        self.init(String(text), about: name)
    }

    /// The message as `[filename] text`, as drivers expect it.
    public var wire: String { filename.map { "[\($0)] \(text)" } ?? text }
}
