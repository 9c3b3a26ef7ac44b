import ReaderMessages

/// Splits a command into steps. The number of a step is its index in the list, and stays the same when the command is
/// processed again.
enum CommandPlan {
    enum Step: Sendable {
        case add(UploadedBook, overwrite: Bool)
        case delete(BookReference)
        case update(UpdatedBook)
        case collect(CollectedBook)
        case cleanUpCollections
        case perform(ReaderAction)
        case export(BookReference, name: String)
        /// Do nothing, and report the reason to the driver.
        case refuse(String, about: String?)

        /// The file name for the step's messages, as in the command.
        var filename: String? {
            switch self {
            case .add(let book, _): book.filename
            case .delete(let book), .export(let book, _): book.filename
            case .update(let book): book.reference.filename
            case .collect(let book): book.reference.filename
            case .cleanUpCollections, .perform: nil
            case .refuse(_, let filename): filename
            }
        }
    }

    static func steps(of command: ReaderCommand, capabilities: Set<String>) -> [Step] {
        switch command {
        case .uploadBooks(let command): uploads(command)
        case .deleteBooks(let command): command.books.map { .delete($0) }
        case .updateMetadata(let command): updates(command)
        case .updateMetadataItems(let command):
            capabilities.contains(ConnectedMessage.Capability.metadataItems) ? updates(command) : [unsupported]
        case .rebuildCollections(let command): command.books.map { .collect($0) }
        case .action(let action):
            capabilities.contains(ConnectedMessage.Capability.actions) ? steps(of: action, capabilities) : [unsupported]
        }
    }

    private static let unsupported = Step.refuse("This application does not support the command.", about: nil)

    /// Of two books with the same file, only the later one can be meant.
    private static func uploads(_ command: UploadBooks) -> [Step] {
        var last: [String: Int] = [:]
        for (index, book) in command.books.enumerated() { last[book.filename] = index }
        return command.books.enumerated().map { index, book in
            last[book.filename] == index
                ? .add(book, overwrite: command.overwrite)
                : .refuse("The command names it twice; the later one counts.", about: book.filename)
        }
    }

    private static func updates(_ command: UpdateMetadata) -> [Step] {
        command.books.map { .update($0) } + (command.cleanUpCollections ? [.cleanUpCollections] : [])
    }

    private static func steps(of action: ReaderAction, _ capabilities: Set<String>) -> [Step] {
        guard action.type == ReaderAction.exportBooks else { return [.perform(action)] }
        guard capabilities.contains(ConnectedMessage.Capability.exporting) else { return [unsupported] }
        let name = action.parameters[ReaderAction.exportName] ?? ""
        return action.books.enumerated().map { .export($1, name: "\($0)-\(name)") }
    }
}
