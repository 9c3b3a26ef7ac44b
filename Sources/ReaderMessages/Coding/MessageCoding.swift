public import Foundation

/// Reads and writes the protocol's messages, without I/O.
///
/// Writing is strict. Reading tolerates the known mistakes of existing peers and no others. Time and memory are linear
/// in the size of the message.
public struct MessageCoding: Hashable, Sendable {
    /// Whether written messages begin with a byte order mark, as the protocol's description requires. Known drivers
    /// omit it.
    public var writesByteOrderMark = true
    /// Whether the malformed messages of the protocol's description and of its first driver are accepted.
    public var readsLegacyForms = true
    /// The limits for reading and writing.
    public var limits = MessageLimits()

    /// Creates the default coding.
    public init() {}

    /// Returns the command in the file `fileName`, whose name determines its kind.
    /// - Throws: ``MessageFailure``.
    public func command(named fileName: String, in data: Data) throws -> (command: ReaderCommand, notes: MessageNotes) {
        guard let kind = ReaderCommand.Kind.allCases.first(where: { $0.fileName == fileName }) else {
            throw MessageFailure(.malformed, fileName: fileName, reason: "there is no such command.")
        }
        let reader = try MessageReader(data, limit: limits.command, fileName: fileName, coding: self)
        let command = try reader.command(kind)
        return (command, try reader.finish())
    }

    /// Decodes `connected.xml`.
    /// - Throws: ``MessageFailure``.
    public func connected(in data: Data) throws -> ConnectedMessage {
        let reader = try MessageReader(data, limit: limits.report, fileName: ConnectedMessage.fileName, coding: self)
        let connected = try reader.connected()
        _ = try reader.finish()
        return connected
    }

    /// Decodes `status.xml`.
    /// - Throws: ``MessageFailure``.
    public func status(in data: Data) throws -> CommandStatus {
        let reader = try MessageReader(data, limit: limits.report, fileName: CommandStatus.fileName, coding: self)
        let status = try reader.status()
        _ = try reader.finish()
        return status
    }

    /// Returns the contents of a command's file.
    /// - Throws: ``MessageFailure`` (hostile) for a command over a limit, which no peer would accept.
    public func data(for command: ReaderCommand) throws -> Data {
        var writer = MessageWriter(withByteOrderMark: writesByteOrderMark)
        try check(covers: command)
        writer.write(command, within: limits)
        try check(command.bookCount <= limits.books, command, "it has more than \(limits.books) books.")
        try check(writer.data.count <= limits.command, command, "it has more than \(limits.command) bytes.")
        try check(writer.elements <= limits.elements, command, "it has more than \(limits.elements) elements.")
        try check(
            writer.longestAttribute <= limits.attribute, command,
            "an attribute in it is longer than \(limits.attribute) bytes.")
        return writer.data
    }

    /// Returns the contents of `connected.xml`. Attributes that are too long or have an invalid name are left out.
    public func data(for connected: ConnectedMessage) -> Data {
        var writer = MessageWriter(withByteOrderMark: writesByteOrderMark)
        writer.write(connected, within: limits)
        return writer.data
    }

    /// Returns the contents of `status.xml`. Messages that exceed a driver's limit are left out and replaced by their
    /// number.
    public func data(for status: CommandStatus) -> Data {
        var writer = MessageWriter(withByteOrderMark: writesByteOrderMark)
        writer.write(status, within: limits)
        return writer.data
    }

    private func check(_ holds: Bool, _ command: ReaderCommand, _ reason: String) throws {
        guard holds else { throw MessageFailure(.hostile, fileName: command.kind.fileName, reason: reason) }
    }

    private func check(covers command: ReaderCommand) throws {
        let isTooLarge = command.covers.contains { $0.decodedSize > limits.cover }
        try check(!isTooLarge, command, "it has a cover of more than \(limits.cover) bytes.")
    }
}

extension ReaderCommand {
    fileprivate var bookCount: Int {
        switch self {
        case .uploadBooks(let command): command.books.count
        case .deleteBooks(let command): command.books.count
        case .updateMetadata(let command), .updateMetadataItems(let command): command.books.count
        case .rebuildCollections(let command): command.books.count
        case .action(let command): command.books.count
        }
    }

    fileprivate var covers: [EncodedCover] {
        switch self {
        case .uploadBooks(let command): command.books.compactMap(\.cover)
        case .updateMetadata(let command), .updateMetadataItems(let command): command.books.compactMap(\.cover)
        case .deleteBooks, .rebuildCollections, .action: []
        }
    }
}
