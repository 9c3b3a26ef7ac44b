import Carrel
import Foundation
import Logging

/// A location that a verb works on.
struct Operand: Sendable {
    /// The location as given by the user, without secrets.
    var shown: String
    var provider: any FileProvider
    var path: ProviderPath
    /// The user who logs in, if the location says so.
    var user: String?

    /// What tells this item from all others, however the location is written; as the user gives it if the provider has
    /// no URL.
    var identity: String {
        if provider.baseURL == nil { return shown }
        return (user.map { $0 + "@" } ?? "") + provider.url(of: path).withoutSecrets.absoluteString
    }

    /// Returns the item called `name` in this folder.
    func item(named name: some Collection<UInt8>) throws -> Operand {
        var item = self
        item.path = try path.appending(nameBytes: name)
        return item
    }

    /// Returns an item in this folder in the form of the user's location.
    func shown(of item: ProviderPath) -> String {
        guard let below = item.relative(to: path), !below.isRoot else { return shown }
        let text = shown.contains("://") ? below.percentEncoded : String(below.string.dropFirst())
        return shown.hasSuffix("/") ? shown + text : shown + "/" + text
    }

    /// Returns the item at this location, or `nil` if there is none.
    func itemIfAny() async throws -> FileObject? {
        do { return try await provider.attributesOfItem(path: path) } catch  where error.isNoSuchFile { return nil }
    }
}

/// A catalogue that a verb works on.
struct CatalogOperand: Sendable {
    /// The address as given by the user, without secrets.
    var shown: String
    var url: URL
    var options: ConnectionOptions
}

/// The working environment of a verb: turns locations into providers, and results into text or JSON.
final class Session: Sendable {
    let common: CommonOptions
    let output = Output()
    private let credentials: any CredentialSource
    private let counters = TransferCounters()
    let environment: [String: String]
    /// The providers by storage, user and saved connection, so that locations on one host share connections and login.
    private let known = LockedValue<[String: any FileProvider]>([:])

    init(_ common: CommonOptions) {
        self.common = common
        environment = ProcessInfo.processInfo.environment
        credentials = CommandCredentials.source(common, environment: environment)
        if common.insecure { warnOfInsecurity("--insecure") }
    }

    /// The logger for `--verbose`, else `nil`.
    var logger: Logger? { common.verbose ? makeLogger(level: .debug) : nil }

    /// Returns a logger that writes to standard error from `level` on.
    func makeLogger(level: Logger.Level) -> Logger {
        Logger(label: "carrel") { _ in CommandLogHandler(level: level) }
    }

    /// Writes a line to standard error with `--verbose`.
    func remark(_ text: String) {
        if common.verbose { Output.standardError("carrel: \(text)") }
    }

    private func warnOfInsecurity(_ cause: String) {
        Output.standardError("carrel: WARNING: certificates are not checked (\(cause)).")
    }

    /// Reports an error on standard error and, with `--json`, on standard output.
    ///
    /// - Parameter location: The location that the error is about, if it doesn't have one itself.
    func report(_ error: any Error, verb: String, location: String?) {
        let cause = error.innermost
        let failure = cause as? CommandFailure
        if failure?.isSaid != true { Self.say(error, verb: verb, location: location.map(LocationText.withoutSecrets)) }
        if common.json, failure?.hasDocument != true { output.printError(cause) }
    }

    /// Writes one line to standard error: `carrel: VERB LOC: sentence`, or one for each item if the error combines
    /// several.
    static func say(_ error: any Error, verb: String, location: String?) {
        let operand = ((error as? LocatedError)?.location ?? location).map(LocationText.shown)
        let items = error.innermost.itemErrors
        for item in items.isEmpty ? [error.innermost] : items {
            Output.standardError(
                "carrel: \(verb)\(operand.map { $0.isEmpty ? "" : " " + $0 } ?? ""): \(item.sentence)\(hint(item))")
        }
    }

    /// A hint for a build without a package trait, and for a server whose listings always have a wrong size for a file.
    private static func hint(_ error: any Error) -> String {
        if let trait = error.missingTrait { return " " + trait.remedy }
        guard let file = (error as? CocoaError)?.underlying as? UnexpectedFile, file.redirectedTo == nil else {
            return ""
        }
        return " If the server generates this file on request, copy it with --ignore-size."
    }

    /// Writes to standard error which settings providers ignored although they could matter. An error says so itself.
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
    /// A location with everything needed to connect; nothing has been sent yet.
    private struct Target {
        var shown: String
        var url: URL
        var connection: ProviderConfiguration?
        var connectionName: String?

        /// The host and port; `nil` on this machine.
        var host: String? {
            guard let host = url.host()?.lowercased(), !host.isEmpty, !url.isFileURL else { return nil }
            let scheme = url.scheme?.lowercased() ?? ""
            // The host part of the URL is a bucket.
            if scheme == "s3" { return "s3:\(connection?.settings["endpoint"] ?? "")" }
            let usual = ["https": 443, "davs": 443, "webdavs": 443, "http": 80, "dav": 80, "webdav": 80][scheme]
            return "\(host):\(url.port.map(String.init) ?? usual.map(String.init) ?? scheme)"
        }
    }

    /// Returns the provider and path of a location as the user writes it.
    func operand(_ text: String) async throws -> Operand { try await connect(try await target(text)) }

    /// Opens an additional connection to the location, not shared with other locations of the session.
    func connection(to text: String) async throws -> any FileProvider {
        if let memory = try await memory(text) { return memory.provider }
        let target = try await target(text)
        do { return try await location(of: target).provider } catch { throw error.at(target.shown) }
    }

    private func location(of target: Target) async throws -> ProviderLocation {
        try await ProviderRegistry.shared.location(of: target.url, options: try options(for: target))
    }

    /// Returns the providers and paths of the locations of one command.
    ///
    /// - Parameter isNameOnly: Whether the locations only name something, and nothing will be sent to them.
    /// - Throws: A usage error if access flags would go to two hosts.
    func operands(_ texts: [String], isNameOnly: Bool = false) async throws -> [Operand] {
        var targets: [Target] = []
        for text in texts { targets.append(try await target(text)) }
        if !isNameOnly { try refuseTwoHosts(targets) }
        var operands: [Operand] = []
        for target in targets { operands.append(try await connect(target)) }
        return operands
    }

    private func refuseTwoHosts(_ targets: [Target]) throws {
        guard Set(targets.compactMap(\.host)).count > 1,
            common.hasAccessFlags || CommandCredentials.isInEnvironment(environment)
        else { return }
        throw CommandFailure.usage(
            "This command names two hosts, and flags like --user and --cacert, $CARREL_PASSWORD and $CARREL_TOKEN would go to both; "
                + "use saved connections, ~/.netrc or the URLs.")
    }

    /// Returns what ``operands(_:)`` does, with patterns replaced by the items that match (``expand(_:at:)``).
    func operands(expanding texts: [String]) async throws -> [Operand] {
        var all: [Operand] = []
        for (text, operand) in zip(texts, try await operands(texts)) {
            all += try await expand(text, at: operand) ?? [operand]
        }
        return all
    }

    /// Returns the items that match a pattern in the last part of a location, or `nil` if there is no pattern or an
    /// item has that very name.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` if nothing matches.
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

    /// Returns the operand for `mem:`, whose content other commands can't see.
    func memory(_ text: String) async throws -> Operand? {
        guard case .url(let url) = try LocationText(text), url.scheme?.lowercased() == "mem" else { return nil }
        let location = try await ProviderRegistry.shared.location(of: url)
        return Operand(shown: text, provider: location.provider, path: location.path)
    }

    /// Returns the catalogue at an address, which may have a query, or at a saved connection to a web server.
    func catalog(_ text: String) async throws -> CatalogOperand {
        let target = try await catalogTarget(text)
        do {
            return CatalogOperand(shown: target.shown, url: target.url, options: try options(for: target))
        } catch { throw error.at(target.shown) }
    }

    /// Returns the provider and path of a location that a file of the catalogue at `text` goes to.
    ///
    /// - Throws: A usage error if access flags would go to two hosts.
    func operand(_ location: String, for text: String) async throws -> Operand {
        let target = try await target(location)
        try refuseTwoHosts([target, try await catalogTarget(text)])
        return try await connect(target)
    }

    private func catalogTarget(_ text: String) async throws -> Target {
        let shown = LocationText.withoutSecrets(text)
        var target: Target
        if let url = LocationText.webAddress(text) {
            target = Target(shown: shown, url: url)
        } else {
            target = try await self.target(text)
        }
        let schemes = ["http": "http", "https": "https", "dav": "http", "davs": "https"]
        guard let scheme = schemes[target.url.scheme?.lowercased() ?? ""],
            var parts = URLComponents(url: target.url, resolvingAgainstBaseURL: true)
        else { throw CommandFailure.usage("A catalogue is at an http or https address.").at(shown) }
        parts.scheme = scheme
        // `NAME:` alone is the connection's own address, to which a location adds a slash.
        if target.connection != nil, text.hasSuffix(":"), parts.percentEncodedPath.count > 1,
            parts.percentEncodedPath.hasSuffix("/")
        {
            parts.percentEncodedPath.removeLast()
        }
        target.url = parts.url ?? target.url
        return target
    }

    private func target(_ text: String) async throws -> Target {
        do {
            switch try LocationText(text) {
            case .url(let url):
                if url.scheme?.lowercased() == "mem" {
                    throw CommandFailure.usage(
                        "mem: is empty at the start of each command; only conform accepts it.")
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
            // Without a base URL, two storages of the same kind can't be distinguished.
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

    /// Returns the options for the servers of licences, whose addresses come from a file. They get no password, key or
    /// client certificate of this command: only a login that `~/.netrc` has for their host.
    func licenseOptions() throws -> ConnectionOptions {
        var options = try webOptions()
        options.credentials = NetrcCredentials(environment: environment)
        options.trust = TrustPolicy(authorities: common.cacert, isInsecure: common.insecure)
        return options
    }

    /// Returns the options for web servers that a book names: no login, and the system's trust.
    func webOptions() throws -> ConnectionOptions {
        var options = ConnectionOptions(counters: counters, logger: logger)
        try common.apply(to: &options)
        options.trust = TrustPolicy()
        options.allowsClearPassword = false
        return options
    }

    /// Returns the options for a location that somebody else chose, with a login from `credentials` alone: it gets no
    /// password, key or client certificate of this command.
    func unattendedOptions(for url: URL, credentials: any CredentialSource) throws -> ConnectionOptions {
        var options = ConnectionOptions(credentials: credentials, counters: counters, logger: logger)
        let names = try ProviderRegistry.shared.check(url).settings
        if url.scheme?.lowercased() == "s3" { options.settings = S3Configuration.settings(environment: environment) }
        if let endpoint = common.endpoint, names.contains("endpoint") { options.settings["endpoint"] = endpoint }
        options.settings.merge(try common.settings().filter { names.contains($0.key) }) { _, given in given }
        try common.apply(to: &options)
        options.trust = TrustPolicy(
            authorities: common.cacert, isInsecure: common.insecure, knownHosts: common.knownHosts.map { [$0] },
            hostKeys: common.acceptNewHostKey ? .acceptNew : .known)
        // As for any program that nobody watches: a transfer that crawls ends.
        options.keepsRedirectsInOrigin = true
        options.timeouts.leastPerMinute = options.timeouts.leastPerMinute ?? 16 << 10
        return options
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
        // Used for keys only, which are sent to no server.
        if let password = environment["CARREL_KEY_PASSWORD"] {
            options.clientKeyPassword = .password(user: "", password: password)
        }
        if target.url.scheme?.lowercased() == "sftp" { options.answer = TerminalQuestion.answer }
        // Each location gets only the settings that its provider has.
        let names = try ProviderRegistry.shared.check(target.url).settings
        if let endpoint = common.endpoint, names.contains("endpoint") { options.settings["endpoint"] = endpoint }
        options.settings.merge(try common.settings().filter { names.contains($0.key) }) { _, given in given }
        try common.apply(to: &options)
        if options.trust.isInsecure, !common.insecure { warnOfInsecurity("“insecure” of \(target.shown)") }
        return options
    }
}
