/// How far an application is with a command (`status.xml`).
public struct CommandStatus: Hashable, Sendable {
    /// How it stands.
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
    /// How it stands.
    public var code: Code
    /// From 0 to 1; 1 with every code but ``Code/inProgress``, and with no other.
    public var progress: Double
    /// What the user is to be told.
    public var messages: [StatusMessage]
    /// The file name of the command that this is about; an extension.
    public var command: String?
    /// The timestamp of that command as it stood there; an extension.
    public var commandTimestamp: String?

    /// A status of one command.
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

/// A sentence for the user, on the wire with the file that it is about in brackets before it.
public struct StatusMessage: Hashable, Sendable, Codable {
    /// The file name of the book as the command had it, or the command's own; nil where there is none.
    public var filename: String?
    /// The sentence.
    public var text: String

    /// A message about a file, or about none.
    public init(_ text: String, about filename: String? = nil) {
        self.filename = filename
        self.text = text
    }

    /// Takes `[filename] text` apart; without brackets at its start, or with nothing in them, all of it is text.
    public init(wire: String) {
        // A file name may hold brackets of its own; the first one before a space closes, or the one at the end.
        guard wire.hasPrefix("["),
            let close = wire.firstRange(of: "] ")?.lowerBound
                ?? (wire.hasSuffix("]") ? wire.index(before: wire.endIndex) : nil)
        else { self.init(wire); return }
        let name = String(wire[wire.index(after: wire.startIndex)..<close])
        guard !name.isEmpty else { self.init(wire); return }
        let text = wire[wire.index(after: close)...].drop { $0 == " " }
        self.init(String(text), about: name)
    }

    /// `[filename] text`, as drivers expect it.
    public var wire: String { filename.map { "[\($0)] \(text)" } ?? text }
}
