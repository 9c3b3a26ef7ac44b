import ArgumentParser
import Carrel
import Foundation
import Logging
import ReaderLibrary

/// Where the device is, for the verbs of `device`.
struct DeviceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The staging folder of a reader application.", valueName: "location"))
    var staging: String?
    @Option(help: ArgumentHelp("A folder of books whose application knows nothing of calibre.", valueName: "location"))
    var plain: String?
    @Option(
        help: ArgumentHelp(
            "The driver, by the identifier of its application; without it the application's own word counts.",
            valueName: "id"))
    var driver: String?
    @Option(help: ArgumentHelp("A file with options of drivers, in JSON.", valueName: "file"))
    var drivers: String?

    func validate() throws {
        if (staging == nil) == (plain == nil) { throw ValidationError("Give either --staging or --plain.") }
        if plain != nil, driver != nil || drivers != nil {
            throw ValidationError("--driver and --drivers go with --staging.")
        }
        if let drivers, let reason = unreadable(drivers) {
            throw ValidationError("The file “\(drivers)” cannot be read: \(reason).")
        }
    }

    var location: String { staging ?? plain ?? "" }

    /// The options of drivers.
    /// - Throws: A usage error about the file; not the staging folder is to blame.
    fileprivate func configuration() async throws -> DriverConfiguration {
        guard let drivers else { return DriverConfiguration() }
        do { return try await DriverConfiguration.load(from: URL(filePath: drivers)) } catch {
            if error.isCancellation { throw error }
            throw CommandFailure.usage(error.sentence).at(drivers)
        }
    }
}

/// What it takes to speak to a reader application.
private struct StagingAccess {
    let staging: StagingFolder
    let configuration: DriverConfiguration
    let context: DriverContext
    /// What a flag says comes before what the file says.
    let overriding: @Sendable (inout DriverOptions) -> Void

    init(_ options: DeviceOptions, session: Session) async throws {
        let configuration = try await options.configuration()
        let isDeveloping = try configuration.options(for: options.driver ?? configuration.developmentApplication)
            .developmentMode
        let operand = try await session.operand(options.location)
        let timeout = session.common.timeout
        staging = StagingFolder(provider: operand.provider, path: operand.path)
        self.configuration = configuration
        context = DriverContext(
            snapshotReader: SQLiteSnapshotReader(), logger: Device.logger(session, isDeveloping: isDeveloping))
        overriding = { if let timeout { $0.callLimit = timeout } }
    }
}

/// A device as the verbs see it: a reader application behind a staging folder, or a plain folder.
enum Device {
    case application(DriverSession)
    case folder(PlainFolderDriver)

    /// - Throws: `DriverError` (notConnected, offline) where no application is there.
    static func connect(_ options: DeviceOptions, _ session: Session) async throws -> Device {
        if options.plain != nil {
            let operand = try await session.operand(options.location)
            return .folder(
                try PlainFolderDriver(provider: operand.provider, folder: operand.path, cache: SQLiteFolderCache()))
        }
        let access = try await StagingAccess(options, session: session)
        return .application(
            try await DriverRegistry.standard.open(
                staging: access.staging, application: options.driver, configuration: access.configuration,
                context: access.context,
                override: access.overriding))
    }

    /// A session with the staging folder, whether an application is there or not.
    static func unasked(_ options: DeviceOptions, _ session: Session) async throws -> DriverSession {
        let access = try await StagingAccess(options, session: session)
        var chosen = try access.configuration.options(
            for: options.driver ?? access.configuration.developmentApplication)
        access.overriding(&chosen)
        return DriverSession(staging: access.staging, options: chosen, context: access.context)
    }

    /// Log lines on standard error: errors; the contents of commands for those who develop a driver; everything with
    /// `--verbose`.
    static func logger(_ session: Session, isDeveloping: Bool = false) -> Logger {
        let usual: Logger.Level = session.common.quiet ? .critical : isDeveloping ? .notice : .error
        return session.makeLogger(level: session.common.verbose ? .debug : usual)
    }

    /// The session with the application; what only an application can do is refused of a folder.
    func application(_ what: String) throws -> DriverSession {
        guard case .application(let session) = self else {
            throw CommandFailure.usage("\(what) takes --staging: a plain folder has none.")
        }
        return session
    }

    func books(progress: @escaping DriverProgress) async throws -> (books: [LibraryBook], warnings: [String]) {
        switch self {
        case .application(let session): return (try await session.books(progress: progress).books, [])
        case .folder(let driver):
            let listing = try await driver.books(progress: progress)
            return (listing.books, listing.warnings)
        }
    }
}

// MARK: Books by name

extension Device {
    /// The books that `names` mean, each a file name, a uuid or a title; one that is meant twice comes once.
    /// - Throws: A failure with exit code 3 that names the first one which means no book, or more than one.
    func books(named names: [String], progress: @escaping DriverProgress) async throws -> [LibraryBook] {
        let all = try await books(progress: progress).books
        var seen: Set<String> = []
        return try names.map { try Self.book(named: $0, among: all) }.filter { seen.insert($0.filename).inserted }
    }

    private static func book(named name: String, among all: [LibraryBook]) throws -> LibraryBook {
        // No uuid is the uuid of no book, however many have none.
        let uuid = BookUUID.canonical(name)
        let meant = [
            all.filter { $0.filename == name },
            uuid.isEmpty ? [] : all.filter { BookUUID.canonical($0.uuid) == uuid },
            all.filter { $0.title == name },
        ]
        guard let found = meant.first(where: { !$0.isEmpty }) else {
            throw CommandFailure(status: .notFound, sentence: "There is no book “\(name)” on the device.")
        }
        guard found.count == 1 else {
            throw CommandFailure(
                status: .notFound, sentence: "\(found.count) books are meant by “\(name)”; give a file name.")
        }
        return found[0]
    }

    /// - Throws: A usage error for an empty name, as an empty variable of a script leaves it.
    static func check(names: [String]) throws {
        if names.contains("") { throw ValidationError("The name of a book is empty.") }
    }
}
