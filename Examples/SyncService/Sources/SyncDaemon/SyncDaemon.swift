import Carrel
public import Foundation
import Logging
import Sync

/// Keeps the pairs of a configuration file in step until it is stopped.
public struct SyncDaemon: Sendable {
    private var services: [String: SyncService] = [:]
    private var syncs: [FolderSync] = []
    /// Pairs that could not be opened, and why.
    private var unopened: [String: SyncMetrics] = [:]
    private let health: String?
    private let interval: Double
    private let prometheus: String?
    private let logger: Logger
    /// Seconds until pairs that could not be reached at the start are tried again.
    private let retry: Double

    private static let ends = [SIGTERM, SIGINT]
    private static let usage = """
        usage: sync-service CONFIGURATION          keeps the folders in step until SIGTERM
               sync-service --check CONFIGURATION  reads the configuration, and no more
               sync-service --health FILE          prints a health file; exit code 0 if all is well, else 1
        """

    /// The whole program.
    ///
    /// - Returns: The exit code: 0 done, 1 failed, 2 wrong usage.
    public static func main(_ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment)
        async -> Int32
    {
        do {
            switch (arguments.first ?? "", arguments.count) {
            case ("--health", 2):
                let (text, health) = try Health.read(arguments[1])
                print(text)
                return health.isGood(at: Date()) ? 0 : 1
            case ("--check", 2): _ = try await load(arguments[1])
            case (let file, 1) where !file.hasPrefix("-") && !file.isEmpty:
                while try await SyncDaemon(load(file), environment: environment).run() {}
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

    private static func load(_ file: String) async throws -> Configuration {
        try await ConfigurationFile.load(Configuration.self, from: file)
    }

    private static func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

    /// Opens every pair's state; nothing is sent yet. Where one cannot be opened, the others go on.
    init(_ configuration: Configuration, environment: [String: String], retry: Double = 60) async throws {
        self.retry = retry
        guard let state = configuration.state ?? environment["STATE_DIRECTORY"] else {
            throw FileError.make(
                .fileReadNoSuchFile, path: "state", sentence: "The configuration has no folder in “state”.")
        }
        var logger = Logger(label: "sync-service") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = configuration.logLevel
        self.logger = logger
        health = configuration.health ?? environment["RUNTIME_DIRECTORY"].map { "\($0)/health.json" }
        interval = configuration.healthInterval
        prometheus = configuration.prometheus
        let folder = URL(fileURLWithPath: state)
        // The names of files are private.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let registry = try ProviderRegistry.withBuiltInProviders()
        for pair in configuration.pairs {
            logger[metadataKey: "pair"] = "\(pair.name)"
            let pairLogger = logger
            func open(_ target: ProviderConfiguration, _ side: SyncSide) async throws -> SyncFolder {
                let credentials = Self.credentials(pair.name, side, environment)
                let location = try await registry.location(
                    of: Self.guarded(target), credentials: credentials, logger: pairLogger)
                return SyncFolder(location, label: "\(side)", user: target.user)
            }
            do {
                let file = folder.appending(path: "\(pair.name).db")
                let sync = try await FolderSync(
                    open(pair.source, .source), open(pair.destination, .destination), state: file, options: pair.options
                )
                services[pair.name] = SyncService(sync, options: pair.service, logger: logger)
                syncs.append(sync)
            } catch {
                logger.error("The pair cannot be kept in step: \(error.sentence)")
                let isLocked = (error as? CocoaError)?.code == .fileLocking
                unopened[pair.name, default: SyncMetrics()].state = error.isTransient ? .away : .incomplete
                unopened[pair.name]?.lastError = error.sentence
                if isLocked || unopened.count == configuration.pairs.count { throw error }
            }
        }
    }

    /// Returns `target` with settings for an unattended program: redirects stay in the origin, and very slow transfers
    /// end, unless it says otherwise.
    static func guarded(_ target: ProviderConfiguration) -> ProviderConfiguration {
        var target = target
        target.keepsRedirectsInOrigin = target.keepsRedirectsInOrigin ?? true
        target.timeouts.leastPerMinute = target.timeouts.leastPerMinute ?? 16 << 10
        return target
    }

    /// `SYNC_PAIR_SIDE_PASSWORD` and `…_TOKEN` in the environment; `PAIR.SIDE`, a password, and `netrc` in systemd's
    /// folder of credentials. Only without one `~/.netrc`: systemd may hide the home, and what cannot be read is an
    /// error.
    static func credentials(_ pair: String, _ side: SyncSide, _ environment: [String: String]) -> any CredentialSource {
        let variable = "SYNC_\(variable("\(pair)_\(side)"))_"
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

    static func variable(_ name: String) -> String {
        String(name.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// Runs until the task is cancelled, or SIGTERM or SIGINT comes.
    ///
    /// - Returns: Whether to start again: a pair that could not be opened may be reachable by now, and no other one is
    ///   running.
    func run() async throws -> Bool {
        let reported = AsyncStream.makeStream(of: Void.self)
        let signals = Self.signals(reported.continuation)
        defer {
            for source in signals { source.cancel() }
            for number in Self.ends { signal(number, SIG_DFL) }
        }
        // A health file that cannot be written is an error at the start.
        try await report()
        let news = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let beginsAnew = try await withThrowingTaskGroup(of: Bool.self) { group in
            for service in services.values {
                group.addTask {
                    try await service.run { event in
                        if case .sync = event { return }
                        news.continuation.yield()
                    }
                    return false
                }
            }
            group.addTask { await reportAll(news.stream) }
            group.addTask {
                while await pause(interval) { news.continuation.yield() }
                return false
            }
            group.addTask {
                while await pause(retry) { if await mayBeginAnew() { return true } }
                return false
            }
            group.addTask {
                for await _ in reported.stream {}
                return false
            }
            // The first one that ends is the end: a signal, or cancelling.
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
        for sync in syncs { try await sync.close() }
        if let health, !beginsAnew, FileManager.default.fileExists(atPath: health) {
            try FileManager.default.removeItem(atPath: health)
        }
        return beginsAnew
    }

    private func pause(_ seconds: Double) async -> Bool { await (try? Task.sleep(for: .seconds(seconds))) != nil }

    private func mayBeginAnew() async -> Bool {
        for service in services.values where await service.metrics.state == .running { return false }
        return unopened.values.contains { $0.state == .away }
    }

    private func reportAll(_ news: AsyncStream<Void>) async -> Bool {
        for await _ in news {
            do { try await report() } catch { logger.error("The health cannot be written: \(error.sentence)") }
        }
        return false
    }

    private func report() async throws {
        var metrics = unopened
        for (name, service) in services { metrics[name] = await service.metrics }
        if let health { try Health(written: Date(), interval: interval, pairs: metrics).write(to: health) }
        if let prometheus {
            // The file appears with its permissions: its reader is another user, and may read it at any time.
            let new = prometheus + ".new"
            try Data(SyncMetrics.prometheus(metrics).utf8).write(to: URL(fileURLWithPath: new))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: new)
            if rename(new, prometheus) != 0 {
                throw FileError.make(errno: errno, path: try ProviderPath(prometheus), writing: true)
            }
        }
    }

    /// Ends the stream at a signal. The caller keeps the sources, or no signals arrive.
    private static func signals(_ told: AsyncStream<Void>.Continuation) -> [any DispatchSourceSignal] {
        ends.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { told.finish() }
            source.resume()
            return source
        }
    }
}
