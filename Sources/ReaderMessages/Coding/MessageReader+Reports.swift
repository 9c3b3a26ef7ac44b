extension MessageReader {
    /// Reads the message as `connected.xml`.
    func connected() throws -> ConnectedMessage {
        let tag = try root(ConnectedMessage.rootElement)
        var state: ConnectedMessage.State?
        var hasPassword: Bool?
        try eachChild { child in
            switch child.name {
            case "state": state = ConnectedMessage.State(rawValue: MessageValue.trimmed(try text()).lowercased())
            case "has_password": hasPassword = MessageValue.flag(try text())
            default: break
            }
        }
        guard let state else { throw malformed("it says neither online nor offline") }
        return ConnectedMessage(
            timestamp: timestamp(of: tag), state: state,
            attributes: tag.attributes.filter { ConnectedMessage.canHold($0.key) },
            hasPassword: hasPassword)
    }

    /// Reads the message as `status.xml`.
    func status() throws -> CommandStatus {
        let tag = try root(CommandStatus.rootElement)
        guard let code = tag["code"].flatMap({ Int(MessageValue.trimmed($0)) }).flatMap(CommandStatus.Code.init) else {
            throw malformed("it does not say the state of the command")
        }
        var progress: Double?
        var messages: [StatusMessage] = []
        try eachChild { child in
            switch child.name {
            case "progress": progress = MessageNumber.decimal(try text())
            // The white space around a sentence on a separate line is not part of it.
            case "messages": messages += try texts(of: "message").map { StatusMessage(wire: MessageValue.trimmed($0)) }
            default: break
            }
        }
        return CommandStatus(
            timestamp: timestamp(of: tag), code: code, progress: CommandStatus.progress(progress ?? 0, with: code),
            messages: messages,
            command: tag["command"].map(CommandStatus.shortened),
            commandTimestamp: tag["commandtimestamp"].map(CommandStatus.shortened))
    }
}

extension ConnectedMessage {
    static let rootElement = "connection"

    /// Whether `name` can be one of ``attributes``: a plain name that is not reserved.
    static func canHold(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 64, name != "timestamp", !name.hasPrefix("xmlns") else {
            return false
        }
        return !(0x2D...0x39).contains(first)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x2E: true
                default: false
                }
            }
    }
}

extension CommandStatus {
    static let rootElement = "status"

    /// Returns the beginning of the name or time of a command, which are short.
    static func shortened(_ text: String) -> String { String(text.unicodeScalars.prefix(100)) }

    /// Returns `value` in the range for `code`: 1 if the command is over and less before, with at most six digits.
    static func progress(_ value: Double, with code: Code) -> Double {
        guard code == .inProgress else { return 1 }
        guard value.isFinite else { return 0 }
        return MessageNumber.rounded(min(max(value, 0), 0.999999))
    }
}
