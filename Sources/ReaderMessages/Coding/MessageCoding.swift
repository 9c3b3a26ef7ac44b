public import Foundation

/// Reads and writes the protocol's messages; no I/O.
///
/// Strict when it writes; when it reads, tolerant as far as known peers need it, and no further. Time and memory are
/// linear in the bytes of the message.
public struct MessageCoding: Hashable, Sendable {
    /// Whether what is written begins with a byte order mark, as the protocol's description says. Known drivers leave
    /// it out.
    public var writesByteOrderMark = true
    /// Whether the forms are understood that the protocol's description and its first driver got wrong.
    public var readsLegacyForms = true
    /// How much is taken.
    public var limits = MessageLimits()

    /// The usual coding.
    public init() {}

    /// The command in the file `fileName`, whose name says which kind it has to be.
    /// - Throws: ``MessageFailure``.
    public func command(named fileName: String, in data: Data) throws -> (command: ReaderCommand, notes: MessageNotes) {
        guard let kind = ReaderCommand.Kind.allCases.first(where: { $0.fileName == fileName }) else {
            throw MessageFailure(.malformed, fileName: fileName, reason: "there is no such command.")
        }
        let reader = try MessageReader(data, limit: limits.command, fileName: fileName, coding: self)
        let command = try reader.command(kind)
        return (command, try reader.finish())
    }

    /// What `connected.xml` says.
    /// - Throws: ``MessageFailure``.
    public func connected(in data: Data) throws -> ConnectedMessage {
        let reader = try MessageReader(data, limit: limits.report, fileName: ConnectedMessage.fileName, coding: self)
        let connected = try reader.connected()
        _ = try reader.finish()
        return connected
    }

    /// What `status.xml` says.
    /// - Throws: ``MessageFailure``.
    public func status(in data: Data) throws -> CommandStatus {
        let reader = try MessageReader(data, limit: limits.report, fileName: CommandStatus.fileName, coding: self)
        let status = try reader.status()
        _ = try reader.finish()
        return status
    }

    /// The file of a command.
    /// - Throws: ``MessageFailure`` (hostile) for a command that goes over a limit, which no peer would take.
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

    /// The contents of `connected.xml`. Attributes that are too long, or have a name that no attribute can have, are
    /// left out.
    public func data(for connected: ConnectedMessage) -> Data {
        var writer = MessageWriter(withByteOrderMark: writesByteOrderMark)
        writer.write(connected, within: limits)
        return writer.data
    }

    /// The contents of `status.xml`. Messages that do not fit into what a driver reads are left out, and their number
    /// stands in their place.
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
