import FileProviderCore
import Logging
import ReaderMessages

/// Logs what a driver does, for debugging and for driver developers.
struct CommandTrace: Sendable {
    /// The most characters of a command that are logged.
    private static let limit = 16 << 10

    /// The logger, or `nil` to log nothing.
    let logger: Logger?
    let isDeveloping: Bool

    /// Logs that a command is sent.
    func sends(_ command: ReaderCommand, coding: MessageCoding) {
        logger?.debug("sends \(command.kind.fileName)")
        guard isDeveloping, logger != nil else { return }
        do {
            var plain = coding
            plain.writesByteOrderMark = false
            // The one line break of a message comes before its root.
            let text = String(decoding: try plain.data(for: Self.cut(command)), as: UTF8.self).replacing(
                "\n", with: " ")
            logger?.notice("\(command.kind.fileName): \(LogText.shown(text, limit: Self.limit))")
        } catch {
            logger?.notice("\(command.kind.fileName) cannot be shown: \(error.loggedSentence)")
        }
    }

    /// Logs the end of a command.
    func ended(_ kind: ReaderCommand.Kind, _ status: CommandStatus) {
        logger?.debug("\(kind.fileName) ended with code \(status.code.rawValue) and \(status.messages.count) messages")
        guard isDeveloping else { return }
        for message in status.messages.prefix(100) {
            logger?.notice("\(kind.fileName): \(LogText.shown(message.wire))")
        }
    }

    /// Logs a failed command.
    func failed(_ kind: ReaderCommand.Kind, _ error: any Error) {
        logger?.warning("\(kind.fileName) failed: \(error.loggedSentence)")
    }

    /// Logs a problem that doesn't end the operation.
    func note(_ what: String, _ error: any Error) { logger?.warning("\(what): \(error.loggedSentence)") }

    /// `command` without pictures and descriptions.
    private static func cut(_ command: ReaderCommand) -> ReaderCommand {
        switch command {
        case .uploadBooks(var upload):
            for index in upload.books.indices where upload.books[index].cover != nil {
                upload.books[index].cover?.text = ""
            }
            return .uploadBooks(upload)
        case .updateMetadata(let update): return .updateMetadata(cut(update))
        case .updateMetadataItems(let update): return .updateMetadataItems(cut(update))
        case .deleteBooks, .rebuildCollections, .action: return command
        }
    }

    private static func cut(_ update: UpdateMetadata) -> UpdateMetadata {
        var update = update
        for index in update.books.indices {
            update.books[index].cover?.text = ""
            if let description = update.books[index].description, !description.isEmpty {
                update.books[index].description = "(\(description.count) characters)"
            }
        }
        return update
    }
}
