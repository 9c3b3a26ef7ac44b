import ArgumentParser
import Carrel
import Foundation
import Logging
import SyncFleet

struct FleetRun: Verb {
    static let verb = "fleet run"
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Work for the fleet until interrupted: run the pairs that are due.",
        discussion: """
            Any number of workers run beside each other, on one machine or many, with the same --states and --lease. Prints a \
            line for each run that ends. After SIGTERM or SIGINT, begins no further run, lets the steps in work end, records \
            them and gives the pairs back, all within --grace; a second signal ends it at once. A pair's credential is a \
            file in --credentials: its first line is user:password or a token, or it is a private key. A user, a password and \
            $CARREL_PASSWORD are for the location of --states alone; flags for certificates, host keys, proxies and time-outs \
            hold for all.
            """)

    @Option(
        help: ArgumentHelp(
            "The folder of what the sides of each pair have in common, the same for all workers.", valueName: "location"
        ),
        completion: .location)
    var states: String
    @Option(
        help: ArgumentHelp(
            "A folder of this machine for states in work; $CACHE_DIRECTORY, else fleet in ~/.local/state/carrel.",
            valueName: "folder"), completion: .directory)
    var cache: String?
    @Option(help: ArgumentHelp("How many pairs run at once; 4 unless given.", valueName: "n"))
    var runs: Int?
    @Option(
        help: ArgumentHelp(
            "Seconds after which others take the pairs of a worker that died, the same for all workers; 30 unless given.",
            valueName: "seconds"))
    var lease: Double?
    @Option(help: ArgumentHelp("Seconds that stopping may take; 20 unless given.", valueName: "seconds"))
    var grace: Double?
    @Option(
        help: ArgumentHelp(
            "The folder with a file for each credential; $CREDENTIALS_DIRECTORY unless given.", valueName: "folder"),
        completion: .directory)
    var credentials: String?
    @OptionGroup var database: FleetDatabaseOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { nil }

    func validate() throws {
        guard (1...1000).contains(runs ?? 1) else { throw ValidationError("--runs needs a number from 1 to 1000.") }
        guard (1...600).contains(lease ?? 1) else { throw ValidationError("--lease needs 1 to 600 seconds.") }
        guard (0...3600).contains(grace ?? 0) else { throw ValidationError("--grace needs 0 to 3600 seconds.") }
        if states.isEmpty { throw ValidationError("--states needs a location.") }
    }

    func perform(_ session: Session) async throws {
        // A connection that died in silence is given up while a renewal on another one is still in time.
        try await database.withFleet(session, idleLimit: max(0.5, options.leaseTime / 6)) { fleet in
            let operand = try await session.operand(states)
            let states = FleetStates(
                ProviderLocation(provider: operand.provider, path: operand.path), cache: cacheFolder(session))
            let worker = FleetWorker(
                fleet, folders: CommandFleetFolders(session: session, credentials: try credentialsFolder(session)),
                states: states, options: options, version: ProgramVersion.text, logger: Self.logger(session))
            try await run(worker, session)
        }
    }

    private var options: FleetWorkerOptions {
        var options = FleetWorkerOptions()
        options.runsAtOnce = runs ?? options.runsAtOnce
        options.leaseTime = lease ?? options.leaseTime
        options.grace = grace ?? options.grace
        return options
    }

    private func cacheFolder(_ session: Session) -> URL {
        let given = cache ?? session.environment["CACHE_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 }
        return given.map { URL(filePath: $0) }
            ?? URL(filePath: StateFolder.path(session.environment)).appending(path: "fleet")
    }

    private func credentialsFolder(_ session: Session) throws -> URL? {
        let given = session.environment["CREDENTIALS_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 }
        guard let folder = credentials ?? given else { return nil }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw CommandFailure.usage("The credentials “\(folder)” are not a folder.")
        }
        return URL(filePath: folder)
    }

    /// Log lines of the worker on standard error: warnings; everything with `--verbose`.
    private static func logger(_ session: Session) -> Logger? {
        session.logger ?? (session.common.quiet ? nil : session.makeLogger(level: .warning))
    }

    private func run(_ worker: FleetWorker, _ session: Session) async throws {
        let failure = LockedValue<(any Error)?>(nil)
        let events = worker.events
        let printing = Task {
            for await event in events {
                guard case .ended(let pair, let result) = event else { continue }
                do { try FleetRunLine(pair, result).show(session) } catch {
                    // Nobody reads any more.
                    failure.update { $0 = $0 ?? error }
                    await worker.stop()
                }
            }
        }
        // A separate task: a signal cancels the verb's task, and the worker still has to stop in order.
        let working = Task { try await worker.run() }
        let outcome = await withTaskCancellationHandler {
            await working.result
        } onCancel: {
            Task { await worker.stop() }
        }
        // The stream of events ends with the worker.
        await printing.value
        if let failure = failure.value { throw failure }
        try outcome.get()
        // A signal ended a worker that ends without an error.
        throw CancellationError()
    }
}
