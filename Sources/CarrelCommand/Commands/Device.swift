import ArgumentParser
import Carrel
import Foundation

struct DeviceGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Manage the books in a reader application, as calibre does.",
        subcommands: [
            DeviceProbe.self, DeviceBooks.self, DeviceUpload.self, DeviceDelete.self, DeviceUpdate.self,
            DeviceCollections.self,
            DeviceGet.self,
        ])
}

/// A verb of `device`.
protocol DeviceVerb: Verb {
    var device: DeviceOptions { get }
}

extension DeviceVerb {
    static var verb: String { "device \(configuration.commandName ?? "")" }
    var blamed: String? { device.location }

    /// One line on standard error about the device, or about `item`.
    func say(_ text: String, of item: String? = nil) {
        Output.standardError("carrel: \(Self.verb) \(item ?? LocationText.withoutSecrets(device.location)): \(text)")
    }

    /// Shows the result of a command.
    /// - Throws: A failure with exit code 7 if some of the books failed, or 1 if all did.
    func show(_ report: ShownReport, as word: String, _ session: Session) throws {
        if common.json {
            try session.output.json(report)
        } else if !common.quiet {
            try session.output.line("\(word): \(report.done)")
        }
        let isComplete = report.done >= report.count
        for message in report.messages where !(isComplete && common.quiet) { say(message.wire) }
        for warning in report.warnings where !common.quiet { say(warning) }
        if isComplete { return }
        throw CommandFailure(
            status: report.done == 0 ? .failed : .partlyDone,
            sentence: "\(report.done) of \(report.count) books were \(word).",
            isSaid: !report.messages.isEmpty, hasDocument: common.json)
    }
}

struct DeviceProbe: DeviceVerb {
    static let configuration = CommandConfiguration(
        commandName: "probe", abstract: "Show whether a reader application is there, and which one.",
        discussion: """
            Without --wait, the application's own statement counts. With --wait, “online” means that the application has just started or shows a sign of \
            life. One that stopped without notice is detected after three of its heartbeat intervals, usually 30 seconds.
            """)
    @OptionGroup var device: DeviceOptions
    @Option(
        help: ArgumentHelp("Keep looking for up to this long, until an application is online.", valueName: "seconds"))
    var wait: Double?
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard wait.map({ (0...86_400).contains($0) }) ?? true else {
            throw ValidationError("--wait needs a number of seconds, at most 86400.")
        }
    }

    func perform(_ session: Session) async throws {
        if device.plain != nil {
            throw CommandFailure.usage("probe needs --staging: a plain folder has no application.")
        }
        let application = try await Device.unasked(device, session)
        let shown = ShownState(try await state(of: application))
        if common.json { try session.output.json(shown) } else { try show(shown, session) }
        if shown.state != "online" {
            throw CommandFailure(
                status: .unreachable, sentence: "The reader application is \(shown.state).", hasDocument: common.json)
        }
    }

    private func state(of application: DriverSession) async throws -> ConnectionState {
        guard let wait else { return try await application.probe() }
        let end = ContinuousClock.now + .seconds(wait)
        let before = try await message(of: application)
        while true {
            let state = try await application.probe()
            if case .online(let info) = state {
                // An application without heartbeats can't be asked for one.
                if info.attributes["heartbeat"] == nil { return state }
                if try await message(of: application) != before { return state }
            }
            let left = end - ContinuousClock.now
            if left <= .zero { return state }
            try await Task.sleep(for: min(left, .seconds(application.options.probeInterval)))
        }
    }

    /// Returns the application's own description, byte for byte.
    private func message(of application: DriverSession) async throws -> Data? {
        try await application.staging.read(ConnectedMessage.fileName, limit: MessageLimits().report)
    }

    private func show(_ state: ShownState, _ session: Session) throws {
        try session.output.fields(["state", state.state])
        for (name, value) in (state.application?.attributes ?? [:]).sorted(by: { $0.key < $1.key }) {
            try session.output.fields([name, value])
        }
    }

    private struct ShownState: Encodable {
        var state: String
        var application: ApplicationInfo?

        init(_ state: ConnectionState) {
            switch state {
            case .absent: self.state = "absent"
            case .offline: self.state = "offline"
            case .online(let info): (self.state, application) = ("online", info)
            case .unresponsive: self.state = "unresponsive"
            }
        }
    }
}

struct DeviceBooks: DeviceVerb {
    static let configuration = CommandConfiguration(commandName: "books", abstract: "List the books on the device.")
    @OptionGroup var device: DeviceOptions
    @OptionGroup var common: CommonOptions

    func perform(_ session: Session) async throws {
        let (books, warnings) = try await PartBar.during(common) { bar in
            try await Device.connect(device, session).books(progress: bar.progress())
        }
        let sorted = books.sorted { ($0.titleSort, $0.filename) < ($1.titleSort, $1.filename) }
        if common.json {
            try session.output.json(sorted.map(ShownBook.init))
        } else {
            for book in sorted {
                try session.output.fields([
                    book.title, book.authors.joined(separator: ", "), book.collections.joined(separator: ", "),
                    book.filename,
                ])
            }
        }
        for warning in warnings where !common.quiet { say(warning) }
    }
}

struct DeviceDelete: DeviceVerb {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Remove books from the device.")
    @OptionGroup var device: DeviceOptions
    @Argument(help: "Books: the uuid, the file name or the title of each.")
    var books: [String]
    @OptionGroup var common: CommonOptions

    func validate() throws { try Device.check(names: books) }

    func perform(_ session: Session) async throws {
        let report = try await PartBar.during(common) { bar -> ShownReport in
            let connected = try await Device.connect(device, session)
            let found = try await connected.books(named: books, progress: bar.progress(0...0.3))
            switch connected {
            case .application(let application):
                return try await delete(found, from: application, progress: bar.progress(0.3...1))
            case .folder(let driver):
                return ShownReport(try await driver.delete(found.map(\.filename), progress: bar.progress(0.3...1)))
            }
        }
        try show(report, as: "deleted", session)
    }

    /// - Throws: The failure, if nothing was deleted before it.
    private func delete(
        _ books: [LibraryBook], from application: DriverSession, progress: @escaping DriverProgress
    ) async throws -> ShownReport {
        let reported = CollectedValues<CommandReport>()
        do {
            return ShownReport(
                try await application.delete(books.map(\.reference), progress: progress, batch: { reported.append($0) })
            )
        } catch {
            let reports = reported.values
            if reports.isEmpty { throw error }
            return ShownReport(reports, endedBy: error, books: books)
        }
    }
}

struct DeviceCollections: DeviceVerb {
    static let configuration = CommandConfiguration(
        commandName: "collections",
        abstract: "Put a book into exactly these collections; without any, remove it from all.")
    @OptionGroup var device: DeviceOptions
    @Argument(help: "A book: its uuid, file name or title.")
    var book: String
    @Argument(help: "The collections.")
    var collections: [String] = []
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try Device.check(names: [book])
        if collections.contains("") { throw ValidationError("A collection's name must not be empty.") }
    }

    func perform(_ session: Session) async throws {
        let report = try await PartBar.during(common) { bar -> ShownReport in
            let connected = try await Device.connect(device, session)
            let application = try connected.application("collections")
            let found = try await connected.books(named: [book], progress: bar.progress(0...0.3))
            let changes = found.map { CollectedBook($0.reference, collections: collections) }
            return ShownReport(try await application.rebuildCollections(changes, progress: bar.progress(0.3...1)))
        }
        try show(report, as: "collected", session)
    }
}
