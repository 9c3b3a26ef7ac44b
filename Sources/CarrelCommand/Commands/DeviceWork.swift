import ArgumentParser
import Carrel
import Foundation
import Logging
import ReaderLibrary

/// The location of the device, for the verbs of `device`.
struct DeviceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The staging folder of a reader application.", valueName: "location"))
    var staging: String?
    @Option(help: ArgumentHelp("A folder of books whose application doesn't support calibre.", valueName: "location"))
    var plain: String?
    @Option(
        help: ArgumentHelp(
            "The driver, by the identifier of its application; the default is the application's own statement.",
            valueName: "id"))
    var driver: String?
    @Option(help: ArgumentHelp("A file with options of drivers, in JSON.", valueName: "file"))
    var drivers: String?

    func validate() throws {
        if (staging == nil) == (plain == nil) { throw ValidationError("Give either --staging or --plain.") }
        if plain != nil, driver != nil || drivers != nil {
            throw ValidationError("--driver and --drivers need --staging.")
        }
        if let drivers, let reason = unreadable(drivers) {
            throw ValidationError("The file “\(drivers)” cannot be read: \(reason).")
        }
    }

    var location: String { staging ?? plain ?? "" }

    /// The options of drivers.
    /// - Throws: A usage error about the file, rather than about the staging folder.
    fileprivate func configuration() async throws -> DriverConfiguration {
        guard let drivers else { return DriverConfiguration() }
        do { return try await DriverConfiguration.load(from: URL(filePath: drivers)) } catch {
            if error.isCancellation { throw error }
            throw CommandFailure.usage(error.sentence).at(drivers)
        }
    }
}

/// Everything needed to talk to a reader application.
private struct StagingAccess {
    let staging: StagingFolder
    let configuration: DriverConfiguration
    let context: DriverContext
    /// Flags take precedence over the file.
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

    /// - Throws: `DriverError` (notConnected, offline) if no application is there.
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

    /// Returns the session with the application. Refuses a plain folder, which doesn't support `what`.
    func application(_ what: String) throws -> DriverSession {
        guard case .application(let session) = self else {
            throw CommandFailure.usage("\(what) needs --staging: a plain folder has no application.")
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
    /// Returns the books with the given names, each a file name, a uuid or a title, without duplicates.
    /// - Throws: A failure with exit code 3 about the first name that means no book or several.
    func books(named names: [String], progress: @escaping DriverProgress) async throws -> [LibraryBook] {
        let all = try await books(progress: progress).books
        var seen: Set<String> = []
        return try names.map { try Self.book(named: $0, among: all) }.filter { seen.insert($0.filename).inserted }
    }

    private static func book(named name: String, among all: [LibraryBook]) throws -> LibraryBook {
        // An empty uuid identifies no book.
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
                status: .notFound, sentence: "“\(name)” matches \(found.count) books; give a file name.")
        }
        return found[0]
    }

    /// - Throws: A usage error for an empty name, for example from an empty script variable.
    static func check(names: [String]) throws {
        if names.contains("") { throw ValidationError("A book's name must not be empty.") }
    }
}
