import ArgumentParser
import Carrel
import Foundation
import ShelfServer

struct ShelfUserGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Say who may log in to a shelf that is served.",
        discussion: """
            The shelf is the one of --folder, of the configuration file, or of the locations that are served. Changes count \
            at once, also for a server that runs.
            """,
        subcommands: [ShelfUserAdd.self, ShelfUserList.self, ShelfUserRemove.self])
}

/// The shelf whose people a verb changes.
struct ShelfPeopleOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file of the server.", valueName: "file"), completion: .file())
    var config: String?
    @Argument(help: "The folders of books that are served.", completion: .location)
    var locations: [String] = []
    @OptionGroup var catalogue: ShelfFolderOptions

    /// Opens the list of people, calls `body` and closes the list.
    ///
    /// - Parameter creates: Whether to create the shelf's folder if it is missing. Standard error then says which one, as
    ///   other locations than those that are served have another folder.
    func withPeople(
        _ session: Session, verb: String, creates: Bool = false, _ body: (PeopleStore) async throws -> Void
    ) async throws {
        let folder = try await folder(session, verb)
        let path = folder.path(percentEncoded: false)
        let isNew = !FileManager.default.fileExists(atPath: path)
        if creates {
            try MissingFolder.create(folder)
        } else if isNew {
            throw FileError.make(
                .fileReadNoSuchFile, path: path, sentence: "There is no shelf yet, and so there are no users.")
        }
        let people: PeopleStore
        do { people = try await PeopleStore.open(folder: folder) } catch { throw error.at(path) }
        do { try await body(people) } catch {
            // The first error is the one to know.
            try? await withCancellationShield { try await people.close() }
            throw Self.shown(error)
        }
        try await people.close()
        if isNew, !session.common.quiet {
            Output.standardError("carrel: \(verb): This is a new shelf, in the folder “\(path)”.")
        }
    }

    private func folder(_ session: Session, _ verb: String) async throws -> URL {
        if let folder = catalogue.folder { return URL(filePath: folder) }
        if config == nil, locations.isEmpty {
            throw CommandFailure.usage("Which shelf? Give --folder, --config or the locations that are served.")
        }
        let settings = try await ShelfSettings.read(config, locations: locations, verb: verb)
        let operands = try await (settings.folder == nil ? settings.operands(session, isNameOnly: true) : [])
        return settings.folder(given: nil, operands, session)
    }

    /// A name or password that cannot be is wrong usage.
    private static func shown(_ error: any Error) -> any Error {
        guard let error = error as? CocoaError, error.code == .formatting else { return error }
        return CommandFailure.usage(error.sentence)
    }
}

/// A person in the contract's JSON.
private struct ShownUser: Encodable {
    var name: String
}

struct ShelfUserAdd: Verb {
    static let verb = "shelf user add"
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a person, and ask for the password twice.",
        discussion: """
            The password has 8 characters or more. --password-file gives it without a question: the first line of the file. It is \
            stored as a hash by scrypt.
            """)

    @Flag(help: "Give a person with this name the new password, which ends their sessions.")
    var overwrite = false
    @Argument(help: "1 to 64 characters without a colon.")
    var name: String
    @OptionGroup var shelf: ShelfPeopleOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { name }

    func perform(_ session: Session) async throws {
        try await shelf.withPeople(session, verb: Self.verb, creates: true) { people in
            let password = try await password()
            do { _ = try await people.add(name: name, password: password) } catch let error
                where overwrite && error.isFileExists
            {
                try await people.setPassword(password, of: name)
            }
            if common.json { try session.output.json(ShownUser(name: name)) }
        }
    }

    private func password() async throws -> String {
        if let file = common.passwordFile {
            let text = try await SmallFile.read(file, limit: 64 << 10)
            return String(decoding: text, as: UTF8.self).split(
                omittingEmptySubsequences: false, whereSeparator: \.isNewline
            ).first.map { String($0) } ?? ""
        }
        guard let password = try await TerminalQuestion.newPassword(of: name) else {
            throw CommandFailure.usage("There is no terminal to ask for the password on. Give --password-file.")
        }
        return password
    }
}

struct ShelfUserList: Verb {
    static let verb = "shelf user ls"
    static let configuration = CommandConfiguration(commandName: "ls", abstract: "List the people who may log in.")

    @OptionGroup var shelf: ShelfPeopleOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { nil }

    func perform(_ session: Session) async throws {
        try await shelf.withPeople(session, verb: Self.verb) { people in
            for user in try await people.list() {
                if common.json {
                    try session.output.json(ShownUser(name: user.name))
                } else {
                    try session.output.line(user.name)
                }
            }
        }
    }
}

struct ShelfUserRemove: Verb {
    static let verb = "shelf user rm"
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove a person with all their places in books.")

    @Argument(help: "The name, in any case.")
    var name: String
    @OptionGroup var shelf: ShelfPeopleOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { name }

    func perform(_ session: Session) async throws {
        try await shelf.withPeople(session, verb: Self.verb) { try await $0.remove(name: name) }
    }
}
