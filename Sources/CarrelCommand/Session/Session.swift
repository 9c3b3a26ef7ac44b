import Carrel
import Foundation
import Logging

/// A location that a verb works on.
struct Operand: Sendable {
    /// As the user gave it, without secrets.
    let shown: String
    var provider: any FileProvider
    var path: ProviderPath
    /// Who logs in, where the location says so.
    var user: String?

    /// The item called `name` in this folder.
    func item(named name: some Collection<UInt8>) throws -> Operand {
        var item = self
        item.path = try path.appending(nameBytes: name)
        return item
    }

    /// An item in this folder as the user would give it.
    func shown(of item: ProviderPath) -> String {
        guard let below = item.relative(to: path), !below.isRoot else { return shown }
        let text = shown.contains("://") ? below.percentEncoded : String(below.string.dropFirst())
        return shown.hasSuffix("/") ? shown + text : shown + "/" + text
    }

    /// What is there; nil for nothing.
    func itemIfAny() async throws -> FileObject? {
        do { return try await provider.attributesOfItem(path: path) } catch  where error.isNoSuchFile { return nil }
    }
}

/// What a verb works with: locations become providers, results become text or JSON.
final class Session: Sendable {
    let common: CommonOptions
    let output = Output()
    private let credentials: any CredentialSource
    private let counters = TransferCounters()
    let environment: [String: String]
    /// Providers by storage, user and saved connection, so that two locations on one host share connections and login.
    private let known = LockedValue<[String: any FileProvider]>([:])

    init(_ common: CommonOptions) {
        self.common = common
        environment = ProcessInfo.processInfo.environment
        credentials = CommandCredentials.source(common, environment: environment)
        if common.insecure { warnOfInsecurity("--insecure") }
    }

    /// Receives what happens, for `--verbose`; nil without it.
    var logger: Logger? { common.verbose ? makeLogger(level: .debug) : nil }

    /// Writes to standard error, from `level` on.
    func makeLogger(level: Logger.Level) -> Logger {
        Logger(label: "carrel") { _ in CommandLogHandler(level: level) }
    }

    /// A line on standard error with `--verbose`.
    func remark(_ text: String) {
        if common.verbose { Output.standardError("carrel: \(text)") }
    }

    private func warnOfInsecurity(_ cause: String) {
        Output.standardError("carrel: WARNING: certificates are not checked (\(cause)).")
    }

    /// Says on standard error, and with `--json` on standard output, what went wrong.
    ///
    /// - Parameter location: What the error is about, where it does not know that itself.
    func report(_ error: any Error, verb: String, location: String?) {
        let cause = error.innermost
        let failure = cause as? CommandFailure
        if failure?.isSaid != true { Self.say(error, verb: verb, location: location.map(LocationText.withoutSecrets)) }
        if common.json, failure?.hasDocument != true { output.printError(cause) }
    }

    /// One line on standard error: `carrel: VERB LOC: sentence`; one for each item where the error stands for several.
    static func say(_ error: any Error, verb: String, location: String?) {
        let operand = ((error as? LocatedError)?.location ?? location).map(LocationText.shown)
        let items = error.innermost.itemErrors
        for item in items.isEmpty ? [error.innermost] : items {
            Output.standardError(
                "carrel: \(verb)\(operand.map { $0.isEmpty ? "" : " " + $0 } ?? ""): \(item.sentence)\(hint(item))")
        }
    }

    /// What to do about a build without a package trait, and about a server whose listings are always wrong about the
    /// size of a file.
    private static func hint(_ error: any Error) -> String {
        if let trait = error.missingTrait { return " " + trait.remedy }
        guard let file = (error as? CocoaError)?.underlying as? UnexpectedFile, file.redirectedTo == nil else {
            return ""
        }
        return " If the server makes this file as it is read, copy it with --ignore-size."
    }

    /// Names on standard error what providers did not follow and could matter. An error says so itself.
    func warn() {
        if common.quiet { return }
        for case let provider as SFTPFileProvider in known.value.values {
            for warning in provider.warnings { Output.standardError("carrel: \(warning)") }
        }
    }

    func statistics(since start: ContinuousClock.Instant) -> String {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return """
            {"requests":\(counters[.requests]),"connections":\(counters[.connections]),"dataConnections":\(counters[.dataConnections]),\
            "bytesIn":\(counters[.bytesIn]),"bytesOut":\(counters[.bytesOut]),"seconds":\(String(format: "%.3f", seconds)),\
            "retries":\(counters[.retries])}
            """
    }
}

// MARK: Locations

extension Session {
    /// A location with all that is needed to connect; nothing was sent yet.
    private struct Target {
        var shown: String
        var url: URL
        var connection: ProviderConfiguration?
        var connectionName: String?

        /// Host and port; nil on this machine.
        var host: String? {
            guard let host = url.host()?.lowercased(), !host.isEmpty, !url.isFileURL else { return nil }
            let scheme = url.scheme?.lowercased() ?? ""
            // What stands in place of the host is a bucket.
            if scheme == "s3" { return "s3:\(connection?.settings["endpoint"] ?? "")" }
            let usual = ["https": 443, "davs": 443, "webdavs": 443, "http": 80, "dav": 80, "webdav": 80][scheme]
            return "\(host):\(url.port.map(String.init) ?? usual.map(String.init) ?? scheme)"
        }
    }

    /// The provider and path of a location as a person writes it.
    func operand(_ text: String) async throws -> Operand { try await connect(try await target(text)) }

    /// Opens one more connection to the location, which no other location of the session shares.
    func connection(to text: String) async throws -> any FileProvider {
        if let memory = try await memory(text) { return memory.provider }
        let target = try await target(text)
        do { return try await location(of: target).provider } catch { throw error.at(target.shown) }
    }

    private func location(of target: Target) async throws -> ProviderLocation {
        try await ProviderRegistry.shared.location(of: target.url, options: try options(for: target))
    }

    /// The providers and paths of the locations of one command.
    ///
    /// - Throws: A usage error when access flags would go to two hosts.
    func operands(_ texts: [String]) async throws -> [Operand] {
        var targets: [Target] = []
        for text in texts { targets.append(try await target(text)) }
        if Set(targets.compactMap(\.host)).count > 1,
            common.hasAccessFlags || CommandCredentials.isInEnvironment(environment)
        {
            throw CommandFailure.usage(
                "With two hosts in one command, flags like --user and --cacert, $CARREL_PASSWORD and $CARREL_TOKEN would go to both; "
                    + "use saved connections, ~/.netrc or the URLs.")
        }
        var operands: [Operand] = []
        for target in targets { operands.append(try await connect(target)) }
        return operands
    }

    /// As ``operands(_:)``, with the items that patterns stand for (``expand(_:at:)``).
    func operands(expanding texts: [String]) async throws -> [Operand] {
        var all: [Operand] = []
        for (text, operand) in zip(texts, try await operands(texts)) {
            all += try await expand(text, at: operand) ?? [operand]
        }
        return all
    }

    /// The items that a pattern in the last part of a location stands for; nil where there is none, and where an item
    /// is called so.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` where nothing matches.
    func expand(_ text: String, at operand: Operand) async throws -> [Operand]? {
        guard let glob = try LocationGlob(text), let parent = operand.path.parent else { return nil }
        do {
            if try await operand.itemIfAny() != nil { return nil }
            let folder = Operand(
                shown: LocationText.withoutSecrets(glob.folder), provider: operand.provider, path: parent,
                user: operand.user)
            let items = try await operand.provider.items(in: parent, matching: glob.pattern)
            if items.isEmpty {
                throw FileError.make(
                    .fileReadNoSuchFile, path: operand.path,
                    sentence: "Nothing in “\(parent)” matches “\(glob.pattern)”."
                )
            }
            return items.map {
                Operand(shown: folder.shown(of: $0.path), provider: operand.provider, path: $0.path, user: operand.user)
            }
        } catch { throw error.at(operand.shown) }
    }

    /// `mem:`, which holds nothing that another command could see.
    func memory(_ text: String) async throws -> Operand? {
        guard case .url(let url) = try LocationText(text), url.scheme?.lowercased() == "mem" else { return nil }
        let location = try await ProviderRegistry.shared.location(of: url)
        return Operand(shown: text, provider: location.provider, path: location.path)
    }

    private func target(_ text: String) async throws -> Target {
        do {
            switch try LocationText(text) {
            case .url(let url):
                if url.scheme?.lowercased() == "mem" {
                    throw CommandFailure.usage(
                        "mem: is empty at the start of each command; it exists for conform alone.")
                }
                return Target(shown: LocationText.withoutSecrets(text), url: common.naming(url))
            case .connection(let location):
                let connection = try await Connections.configuration(of: location, in: Connections.file(environment))
                return Target(
                    shown: text, url: common.naming(connection.urlWithUser), connection: connection,
                    connectionName: String(location.prefix { $0 != ":" }))
            }
        } catch { throw error.at(LocationText.withoutSecrets(text)) }
    }

    private func connect(_ target: Target) async throws -> Operand {
        do {
            let url = target.url
            let location = try await location(of: target)
            var operand = Operand(
                shown: target.shown, provider: location.provider, path: location.path,
                user: url.user(percentEncoded: false))
            remark("\(operand.shown) is \(operand.path) of \(operand.provider.debugDescription)")
            // Whether http(s) is WebDAV depends on the path, so such a provider serves one location.
            if url.scheme?.lowercased().hasPrefix("http") == true { return operand }
            // Without one, nobody tells two storages of the same kind apart.
            guard let base = operand.provider.baseURL else { return operand }
            let parts = [
                operand.provider.type, base.absoluteString, url.user(), url.password(), target.connectionName,
            ]
            let key = parts.map { $0 ?? "" }.joined(separator: "\u{0}")
            operand.provider = known.update { known in
                let provider = known[key] ?? location.provider
                known[key] = provider
                return provider
            }
            return operand
        } catch { throw error.at(target.shown) }
    }

    private func options(for target: Target) throws -> ConnectionOptions {
        var options =
            target.connection.map { ConnectionOptions($0, credentials: credentials, counters: counters) }
            ?? ConnectionOptions(credentials: credentials, counters: counters)
        options.logger = logger
        if target.url.scheme?.lowercased() == "s3" {
            options.credentials = CommandCredentials.s3(credentials, user: common.user, environment: environment)
            options.settings.merge(S3Configuration.settings(environment: environment)) { saved, _ in saved }
        }
        // For keys only, which go to no server.
        if let password = environment["CARREL_KEY_PASSWORD"] {
            options.clientKeyPassword = .password(user: "", password: password)
        }
        if target.url.scheme?.lowercased() == "sftp" { options.answer = TerminalQuestion.answer }
        // Of two locations, each gets what its provider knows.
        let names = try ProviderRegistry.shared.check(target.url).settings
        if let endpoint = common.endpoint, names.contains("endpoint") { options.settings["endpoint"] = endpoint }
        options.settings.merge(try common.settings().filter { names.contains($0.key) }) { _, given in given }
        try common.apply(to: &options)
        if options.trust.isInsecure, !common.insecure { warnOfInsecurity("“insecure” of \(target.shown)") }
        return options
    }
}
