extension MessageWriter {
    /// The bytes reserved for the other parts of a report and for the last message.
    private static let reserve = 4 << 10

    mutating func write(_ connected: ConnectedMessage, within limits: MessageLimits) {
        var attributes: Attributes = [("timestamp", Self.timestamp(connected.timestamp))]
        var room = limits.report - Self.reserve
        for (name, value) in connected.attributes.sorted(by: { $0.key < $1.key }) where ConnectedMessage.canHold(name) {
            let size = Self.maxBytes(of: name, value)
            guard attributes.count < limits.attributes, size <= room, value.utf8.count <= limits.attribute / 3 else {
                continue
            }
            room -= size
            attributes.append((name, value))
        }
        element(ConnectedMessage.rootElement, attributes) { writer in
            // Drivers compare the exact text, so there is no white space around it.
            writer.element("state", text: connected.state.rawValue)
            if let hasPassword = connected.hasPassword { writer.element("has_password", text: String(hasPassword)) }
        }
    }

    mutating func write(_ status: CommandStatus, within limits: MessageLimits) {
        let attributes: Attributes = [
            ("timestamp", Self.timestamp(status.timestamp)), ("code", String(status.code.rawValue)),
            ("command", status.command.map(CommandStatus.shortened)),
            ("commandtimestamp", status.commandTimestamp.map(CommandStatus.shortened)),
        ]
        element(CommandStatus.rootElement, attributes) { writer in
            writer.element(
                "progress", text: MessageNumber.text(CommandStatus.progress(status.progress, with: status.code)))
            writer.element("messages") { $0.messages(of: status, within: limits) }
        }
    }

    /// Writes the messages that fit into a driver's limit, and a last one that counts the others.
    private mutating func messages(of status: CommandStatus, within limits: MessageLimits) {
        let end = limits.report - Self.reserve
        var left = 0
        for message in status.messages {
            let wire = message.wire
            if data.count + Self.maxBytes(of: "<message></message>", wire) <= end {
                element("message", text: wire)
            } else {
                left += 1
            }
        }
        guard left > 0 else { return }
        // Drivers expect the name of a file before every message.
        let file = status.command.map(CommandStatus.shortened) ?? CommandStatus.fileName
        element("message", text: StatusMessage("\(left) more messages were left out.", about: file).wire)
    }

    /// Returns the most bytes that an attribute or a text can need: `&quot;` is the longest escape.
    private static func maxBytes(of name: String, _ value: String) -> Int { name.utf8.count + 6 * value.utf8.count + 8 }
}
