import Carrel
public import Foundation
import Logging
import Sync

/// Keeps the pairs of a configuration file in step until it is told to end.
public struct SyncDaemon: Sendable {
    private var services: [String: SyncService] = [:]
    private var syncs: [FolderSync] = []
    /// Pairs that could not be opened, and why.
    private var unopened: [String: SyncMetrics] = [:]
    private let health: String?
    private let interval: Double
    private let prometheus: String?
    private let logger: Logger

    private static let usage = """
        usage: sync-service CONFIGURATION          keeps the folders in step until SIGTERM
               sync-service --check CONFIGURATION  reads the configuration, and no more
               sync-service --health FILE          prints a health file; exit code 0 if all is well, else 1
        """

    /// The whole program.
    ///
    /// - Returns: The exit code: 0 done, 1 failed, 2 wrong usage.
    public static func main(_ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment) async -> Int32 {
        do {
            switch (arguments.first ?? "", arguments.count) {
            case ("--health", 2):
                let (text, health) = try Health.read(arguments[1])
                print(text)
                return health.isGood(at: Date()) ? 0 : 1
            case ("--check", 2): _ = try Configuration.load(arguments[1])
            case (let file, 1) where !file.hasPrefix("-") && !file.isEmpty:
                try await SyncDaemon(Configuration.load(file), environment: environment).run()
            default:
                complain(usage)
                return 2
            }
            return 0
        } catch {
            complain("sync-service: \(error.sentence)")
            return 1
        }
    }

    private static func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

    /// Opens every pair's state; nothing is sent yet. Where one cannot be opened for good, the others go on.
    init(_ configuration: Configuration, environment: [String: String]) async throws {
        guard let state = configuration.state ?? environment["STATE_DIRECTORY"] else {
            throw FileError.make(.fileReadNoSuchFile, path: "state", sentence: "The configuration names no folder for the state.")
        }
        var logger = Logger(label: "sync-service") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = configuration.logLevel
        self.logger = logger
        health = configuration.health ?? environment["RUNTIME_DIRECTORY"].map { "\($0)/health.json" }
        interval = configuration.healthInterval
        prometheus = configuration.prometheus
        let folder = URL(fileURLWithPath: state)
        // The names of files are nobody else's business.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let registry = try ProviderRegistry.withBuiltInProviders()
        for pair in configuration.pairs {
            func open(_ place: ProviderConfiguration, _ side: SyncSide) async throws -> SyncFolder {
                let credentials = Self.credentials(pair.name, side, environment)
                let location = try await registry.location(of: place, credentials: credentials)
                return SyncFolder(location, label: "\(side)", user: place.user)
            }
            logger[metadataKey: "pair"] = "\(pair.name)"
            do {
                let file = folder.appending(path: "\(pair.name).db")
                let sync = try await FolderSync(
                    open(pair.source, .source), open(pair.destination, .destination), state: file, options: pair.options)
                services[pair.name] = SyncService(sync, options: pair.service, logger: logger)
                syncs.append(sync)
            } catch {
                logger.error("The pair cannot be kept in step: \(error.sentence)")
                unopened[pair.name, default: SyncMetrics()].state = .incomplete
                unopened[pair.name]?.lastError = error.sentence
                let passes = error.isTransient || (error as? CocoaError)?.code == .fileLocking
                if passes || unopened.count == configuration.pairs.count { throw error }
            }
        }
    }

    /// `SYNC_PAIR_SIDE_PASSWORD` and `…_TOKEN` in the environment; `PAIR.SIDE`, a password, and `netrc` in systemd's folder of credentials.
    /// Only without one `~/.netrc`: systemd may hide the home, and what cannot be read is an error.
    static func credentials(_ pair: String, _ side: SyncSide, _ environment: [String: String]) -> any CredentialSource {
        let letters = "\(pair)_\(side)".uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
        let variable = "SYNC_\(String(letters))_"
        var sources: [any CredentialSource] = [
            EnvironmentCredentials(password: variable + "PASSWORD", token: variable + "TOKEN", environment: environment)
        ]
        guard let folder = environment["CREDENTIALS_DIRECTORY"] else {
            return CredentialChain(sources + [NetrcCredentials(environment: environment)])
        }
        let file = "\(folder)/\(pair).\(side)"
        if FileManager.default.fileExists(atPath: file) { sources.append(PasswordFileCredentials(file: file)) }
        return CredentialChain(sources + [NetrcCredentials(file: "\(folder)/netrc")])
    }

    /// Runs until the task is cancelled, or SIGTERM or SIGINT comes.
    func run() async throws {
        let told = AsyncStream.makeStream(of: Void.self)
        let signals = Self.signals(told.continuation)
        defer { for signal in signals { signal.cancel() } }
        // Whoever cannot write its health says so at once.
        try await report()
        let news = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in services.values {
                group.addTask {
                    try await service.run { event in
                        if case .sync = event { return }
                        news.continuation.yield()
                    }
                }
            }
            group.addTask { await reportAll(news.stream) }
            group.addTask {
                while true {
                    do { try await Task.sleep(for: .seconds(interval)) } catch { return }
                    news.continuation.yield()
                }
            }
            group.addTask { for await _ in told.stream {} }
            // The first one that ends is the end: a signal, or cancelling.
            defer { group.cancelAll() }
            try await group.next()
        }
        for sync in syncs { try await sync.close() }
        if let health, FileManager.default.fileExists(atPath: health) { try FileManager.default.removeItem(atPath: health) }
    }

    private func reportAll(_ news: AsyncStream<Void>) async {
        for await _ in news {
            do { try await report() } catch { logger.error("The health cannot be written: \(error.sentence)") }
        }
    }

    private func report() async throws {
        var metrics = unopened
        for (name, service) in services { metrics[name] = await service.metrics }
        if let health { try Health(written: Date(), interval: interval, pairs: metrics).write(to: health) }
        if let prometheus {
            // It comes into place with its rights: whoever collects it is another user, and may come at any time.
            let new = prometheus + ".new"
            try Data(SyncMetrics.prometheus(metrics).utf8).write(to: URL(fileURLWithPath: new))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: new)
            if rename(new, prometheus) != 0 { throw FileError.make(errno: errno, path: try ProviderPath(prometheus), writing: true) }
        }
    }

    /// Tells by a stream's end; whoever holds the sources gets the signals.
    private static func signals(_ told: AsyncStream<Void>.Continuation) -> [any DispatchSourceSignal] {
        [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { told.finish() }
            source.resume()
            return source
        }
    }
}
