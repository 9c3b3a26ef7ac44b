import ArgumentParser
import Carrel
import Foundation
import ReaderLibrary

struct App: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Act as a reader application whose books calibre's drivers and “carrel device” manage.",
        subcommands: [AppServe.self])
}

struct AppServe: Verb {
    static let verb = "app serve"
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Carry out the commands in a staging folder, until interrupted.",
        discussion: """
            The staging folder may be on any provider. The library is a folder on this machine with the books, their covers and a database; both \
            are created if they are missing. A command that an earlier run did not finish is continued.
            """)

    @Option(help: ArgumentHelp("The folder that drivers leave commands in.", valueName: "location"))
    var staging: String
    @Option(help: ArgumentHelp("The library's folder on this machine.", valueName: "folder"))
    var library: String
    @Option(help: ArgumentHelp("The identifier by which drivers know the application.", valueName: "id"))
    var id = "org.carrel.reader"
    @OptionGroup var common: CommonOptions

    var blamed: String? { staging }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(staging)
        let books: SQLiteBookLibrary
        do { books = try await SQLiteBookLibrary.open(folder: URL(filePath: library), options: options) } catch {
            throw error.at(library)
        }
        let folder = StagingFolder(provider: operand.provider, path: operand.path)
        let connection = try CalibreConnection(
            staging: folder, library: books, options: ApplicationOptions(application: id),
            logger: Device.logger(session))
        try await connection.enter()
        session.remark("serving \(operand.shown)")
        do {
            for await event in connection.events { try show(event, at: operand.shown, session) }
        } catch {
            // Standard output is closed. Reports an error of `leave` before the error that ends the command.
            do { try await leave(connection) } catch let second {
                Session.say(second, verb: Self.verb, location: operand.shown)
            }
            throw error
        }
        // The stream ends when a signal cancels the task.
        try await leave(connection)
        throw CancellationError()
    }

    private var options: LibraryOptions {
        let (folder, isQuiet) = (library, common.quiet)
        var options = LibraryOptions()
        options.report = { if !isQuiet { Output.standardError("carrel: \(Self.verb) \(folder): \($0)") } }
        return options
    }

    /// Marks the application as gone for drivers, even if this task was cancelled.
    private func leave(_ connection: CalibreConnection) async throws {
        try await withCancellationShield { try await connection.leave() }
    }

    private func show(_ event: CalibreConnection.Event, at operand: String, _ session: Session) throws {
        switch event {
        case .state(let state): try line(ShownEvent(event: "state", state: state.rawValue), state.rawValue, session)
        case .began(let name): session.remark("\(name) begins")
        case .ended(let name, let code, let messages):
            let shown = ShownEvent(event: "ended", command: name, code: code.rawValue, messages: messages.map(\.wire))
            try line(shown, "\(name) \(Self.words(code))", session)
            if common.json || common.quiet { break }
            for message in messages { Output.standardError("carrel: \(Self.verb) \(operand): \(message.wire)") }
        case .failed(let error): Session.say(error, verb: Self.verb, location: operand)
        }
        try session.output.flush()
    }

    private func line(_ event: ShownEvent, _ text: String, _ session: Session) throws {
        if common.json { try session.output.json(event) } else { try session.output.line(text) }
    }

    private static func words(_ code: CommandStatus.Code) -> String {
        switch code {
        case .inProgress: "goes on"
        case .success: "done"
        case .warnings: "done with warnings"
        case .failure: "failed"
        case .cancelled: "cancelled"
        }
    }
}

/// An event in the contract's JSON.
private struct ShownEvent: Encodable {
    var event: String
    var state: String?
    var command: String?
    var code: Int?
    var messages: [String]?
}
