import ArgumentParser
import Carrel
import Foundation
import Logging
import Shelf
import ShelfServer

struct ShelfServe: Verb {
    static let verb = "shelf serve"
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve books to reading apps (OPDS), browsers and KOReader until interrupted.",
        discussion: """
            The first line is the address of the web page; catalogues are at opds/ below it. The catalogue follows changes \
            of the folders. Without --bind, only this machine reaches the server; beyond it people log in: see “carrel \
            shelf user add”. Connections are not encrypted: put a reverse proxy in front, and give its address with \
            --public-url. Flags take precedence over the configuration file, and locations replace its sources.
            """)

    @Option(help: ArgumentHelp("A configuration file in JSON.", valueName: "file"), completion: .file())
    var config: String?
    @Option(help: ArgumentHelp("The port, 0 for a free one; 8180 unless given.", valueName: "n"))
    var port: Int?
    @Option(help: ArgumentHelp("The address to listen on; 127.0.0.1 unless given.", valueName: "address"))
    var bind: String?
    @Option(help: ArgumentHelp("The address that a reverse proxy shows.", valueName: "url"))
    var publicUrl: String?
    @Option(
        help: ArgumentHelp(
            "Keep what is read of books in this folder, to read it from their storage once.", valueName: "folder"),
        completion: .directory)
    var cache: String?
    @Option(help: ArgumentHelp("The most bytes in it, such as 500M or 20G; 1G unless given.", valueName: "size"))
    var cacheSize: String?
    @Flag(help: "Check the configuration and the form of the locations, and serve nothing.")
    var check = false
    @Argument(help: "Folders of books.", completion: .location)
    var locations: [String] = []
    @OptionGroup var catalogue: ShelfFolderOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { locations.count == 1 ? locations.first : nil }

    func validate() throws {
        if locations.isEmpty, config == nil { throw ValidationError("Which folder is to be served?") }
        guard (0...65_535).contains(port ?? 0) else { throw ValidationError("--port needs a number from 0 to 65535.") }
    }

    func perform(_ session: Session) async throws {
        let settings = try await settings(session)
        let operands = try await settings.operands(session)
        let folder = settings.folder(given: catalogue.folder, operands, session)
        if check {
            try await checkPlaces(folder, operands, settings)
            return try showValid(settings, session)
        }
        var options = ShelfOptions()
        options.concurrentReads = common.transfers
        options.isHiddenIncluded = settings.isHiddenIncluded
        options.removal = settings.removal
        options.logger = session.logger
        if !common.quiet { options.report = { ShelfServe.report($0) } }
        let shelf: Shelf
        do {
            shelf = try await Shelf.open(folder: folder, sources: settings.shelfSources(operands), options: options)
        } catch { throw error.at(folder.path(percentEncoded: false)) }
        do { try await serve(shelf, folder, settings, session) } catch {
            // The first error is the one to know.
            try? await withCancellationShield { try await shelf.close() }
            throw error
        }
        try await shelf.close()
    }

    private func settings(_ session: Session) async throws -> ShelfSettings {
        var settings = try await ShelfSettings.read(config, locations: locations, verb: Self.verb)
        if let bind { settings.server.host = bind }
        if let port { settings.server.port = port }
        if let publicUrl {
            guard let url = URL(string: publicUrl) else {
                throw CommandFailure.usage("“\(publicUrl)”, the value of --public-url, is no URL.")
            }
            settings.server.publicURL = url
        }
        try setCache(&settings.server)
        if !settings.hasAccess { settings.server.access = isReachable(settings.server) ? .users : .everyoneBeforeUsers }
        if let file = settings.metricsTokenFile { settings.server.metricsToken = try await Self.firstLine(of: file) }
        do { try settings.server.validate() } catch { throw settings.failure(error.sentence) }
        return settings
    }

    /// Checks the key's file, the shelf's folder and the cache's. Makes none of them.
    private func checkPlaces(_ folder: URL, _ operands: [Operand], _ settings: ShelfSettings) async throws {
        var server = settings.server
        do { if let key = try await settings.existingKey() { server.key = key } } catch {
            throw settings.failure("keyFile: \(error.sentence)")
        }
        let sources = settings.shelfSources(operands)
        do {
            try server.validate()
            try Shelf.check(folder, sources)
            try server.cachesFiles?.check(sources)
        } catch { throw settings.failure(error.sentence) }
    }

    private func setCache(_ server: inout ShelfServerConfiguration) throws {
        if let cache {
            let folder = URL(filePath: cache)
            if server.cachesFiles == nil { server.cachesFiles = FileCache(folder: folder) }
            server.cachesFiles?.folder = folder
        }
        guard let cacheSize else { return }
        guard let bytes = ByteText.bytes(cacheSize) else {
            throw CommandFailure.usage("--cache-size needs a number of bytes, such as 500M or 20G.")
        }
        guard server.cachesFiles != nil else {
            throw CommandFailure.usage("--cache-size needs --cache, or “cachesFiles” in the configuration file.")
        }
        server.cachesFiles?.capacity = bytes
    }

    /// Whether other machines may reach the server.
    private func isReachable(_ server: ShelfServerConfiguration) -> Bool {
        let isLoopback = server.host.hasPrefix("127.") || ["::1", "localhost"].contains(server.host)
        return !isLoopback || server.publicURL != nil || !server.hosts.isEmpty || !server.trustedProxies.isEmpty
    }

    private func showValid(_ settings: ShelfSettings, _ session: Session) throws {
        if common.json { return try session.output.json(Checked(isValid: true)) }
        try session.output.line("\(settings.file ?? "The configuration") is valid.")
    }

    // MARK: Serving

    private func serve(_ shelf: Shelf, _ folder: URL, _ settings: ShelfSettings, _ session: Session) async throws {
        let people: PeopleStore
        do { people = try await PeopleStore.open(folder: folder) } catch {
            throw error.at(folder.path(percentEncoded: false))
        }
        do { try await serve(shelf, people, folder, settings, session) } catch {
            try? await withCancellationShield { try await people.close() }
            throw error
        }
        try await people.close()
    }

    private func serve(
        _ shelf: Shelf, _ people: PeopleStore, _ folder: URL, _ settings: ShelfSettings, _ session: Session
    ) async throws {
        var configuration = settings.server
        let keyFile = settings.keyFile ?? folder.appending(path: "serve.key").path(percentEncoded: false)
        configuration.key = try await ServerSecrets.key(file: keyFile, session)
        let isOpen: Bool
        switch configuration.access {
        case .everyone: isOpen = true
        case .everyoneBeforeUsers: isOpen = try await !people.hasHadUsers()
        case .users: isOpen = false
        }
        let hasPeople = try await !people.list().isEmpty
        if !isOpen, !hasPeople, !configuration.allowsRegistration, !common.quiet {
            Output.standardError("carrel: \(Self.verb): Add a person with “\(addition)”; until then, logins fail.")
        }
        let server: ShelfServer
        do {
            server = try ShelfServer(
                shelf: shelf, people: people, configuration: configuration, logger: Self.logger(session))
        } catch { throw CommandFailure.usage(error.sentence) }
        if let cache = configuration.cachesFiles { try Self.makeCache(cache.folder) }
        let listening = Task { try await server.run() }
        try await withTaskCancellationHandler {
            do { try await announce(server, session) } catch {
                listening.cancel()
                // The shelf is closed only when nothing uses it any more.
                _ = await listening.result
                throw Self.namingPort(error)
            }
            try await listening.value
        } onCancel: {
            listening.cancel()
        }
        // A signal ended a server that ends without an error.
        throw CancellationError()
    }

    /// The command that adds a person to this shelf.
    private var addition: String {
        var words = ["NAME"]
        if let folder = catalogue.folder {
            words = ["--folder", folder] + words
        } else {
            words = (config.map { ["--config", $0] } ?? []) + words + locations.map(LocationText.withoutSecrets)
        }
        return (["carrel", ShelfUserAdd.verb] + words.map(\.shellWord)).joined(separator: " ")
    }

    /// Makes the cache's folder, and checks that it can be written: the server goes on silently without its cache.
    private static func makeCache(_ folder: URL) throws {
        let path = folder.path(percentEncoded: false)
        do {
            try MissingFolder.create(folder)
            guard FileManager.default.isWritableFile(atPath: path) else {
                throw FileError.make(.fileWriteNoPermission, path: path)
            }
        } catch { throw error.at(path) }
    }

    /// Returns the error with a hint if another program has the port.
    private static func namingPort(_ error: any Error) -> any Error {
        guard let failure = error as? URLError,
            failure.userInfo[NSUnderlyingErrorKey] as? POSIXError == POSIXError(.EADDRINUSE)
        else { return error }
        return CommandFailure(
            status: .unreachable, sentence: error.sentence + " Give another one with --port, or 0 for a free one.")
    }

    private func announce(_ server: ShelfServer, _ session: Session) async throws {
        let url = try await server.url()
        if common.json {
            try session.output.json(Served(url: url, opds: url.appending(path: "opds/")))
        } else {
            try session.output.line(url.absoluteString)
        }
        try session.output.flush()
    }

    /// Log lines of the server on standard error: warnings; everything with `--verbose`.
    private static func logger(_ session: Session) -> Logger? {
        session.logger ?? (session.common.quiet ? nil : session.makeLogger(level: .warning))
    }

    private static func report(_ event: ShelfEvent) {
        func say(_ location: String, _ sentence: String) {
            Output.standardError("carrel: \(verb) \(location): \(sentence)")
        }
        switch event {
        case .interrupted(let location, let sentence): say(location, sentence)
        case .resumed(let location): say(location, "The folder can be read again.")
        case .withheld(let location, let count):
            say(location, "\(count) books are missing in this listing and stay until a second one lacks them, too.")
        case .postponed(let path, let sentence): say(path.string, sentence)
        case .added, .changed, .moved, .removed, .refused: break
        }
    }

    /// Returns the first line of a secret's file.
    private static func firstLine(of file: String) async throws -> String {
        let text: String
        do {
            text = String(decoding: try await SmallFile.read(file, limit: 4 << 10, isSecret: true), as: UTF8.self)
        } catch { throw CommandFailure.usage("metricsTokenFile: “\(file)” cannot be read: \(error.sentence)") }
        guard let line = text.split(whereSeparator: \.isNewline).first else {
            throw CommandFailure.usage("metricsTokenFile: “\(file)” is empty.")
        }
        return String(line)
    }
}

/// The first line of output.
private struct Served: Encodable {
    var url: URL
    /// Leads to the newest version that a reader asks for.
    var opds: URL
}

private struct Checked: Encodable {
    var isValid: Bool
}
