import ArgumentParser
import Carrel
import Foundation

struct ConfigurationGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Save connections under names, for locations of the form NAME:path.",
        discussion: """
            They are saved in $CARREL_CONFIG, else $XDG_CONFIG_HOME/carrel/config.json, else ~/.config/carrel/config.json, without passwords.
            """,
        subcommands: [AddConnection.self, ListConnections.self, RemoveConnection.self])
}

struct AddConnection: Verb {
    static let verb = "config add"
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Save a connection under a name.",
        discussion: """
            Flags such as --user, --cacert, --identity, --timeout, --proxy, --endpoint and --setting are saved with it. No connection is opened. \
            A password is not saved: it comes from ~/.netrc, $CARREL_PASSWORD, --password-file or a question.
            """)

    @Flag(help: "Replace a connection with this name.")
    var overwrite = false
    @Argument(help: "A name of letters, digits and + - . _ that is not a scheme, such as dav.")
    var name: String
    @Argument(help: "A folder: a URL, or a path on this machine.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { name }

    func perform(_ session: Session) async throws {
        let file = Connections.file(session.environment)
        guard NamedConnections.isName(name), !ProviderRegistry.shared.hasScheme(name) else {
            throw CommandFailure.usage(
                "“\(name)” cannot name a connection. Use letters, digits and + - . _, and no scheme.")
        }
        do {
            try await NamedConnections.add(connection(), as: name, to: file, replacing: overwrite)
        } catch let error where (error as? CocoaError)?.code == .fileReadCorruptFile {
            throw CommandFailure.usage(error.sentence)
        }
        session.remark("written to \(file)")
        if common.json { try await Connections.show(in: file, session) }
    }

    private func connection() throws -> ProviderConfiguration {
        guard case .url(let url) = try LocationText(location) else {
            throw CommandFailure.usage("Give a URL or a path; a connection cannot be made from another connection.")
        }
        var configuration = try ProviderConfiguration(url: url, user: common.user)
        var options = ConnectionOptions(configuration)
        try common.apply(to: &options)
        try options.settings.merge(common.settings()) { _, given in given }
        if let endpoint = common.endpoint { options.settings["endpoint"] = endpoint }
        try ProviderRegistry.shared.check(url, settings: options.settings)
        let trust = options.trust
        configuration.trust = TrustPolicy(
            authorities: Self.absolute(trust.authorities), clientCertificate: Self.absolute(trust.clientCertificate),
            clientKey: Self.absolute(trust.clientKey), isInsecure: trust.isInsecure,
            identities: trust.identities.compactMap(Self.absolute),
            knownHosts: trust.knownHosts?.compactMap(Self.absolute), hostKeys: trust.hostKeys, pins: trust.pins)
        (configuration.timeouts, configuration.retries, configuration.proxy) = (
            options.timeouts, options.retries, options.proxy
        )
        (configuration.bandwidth, configuration.settings) = (options.bandwidth, options.settings)
        configuration.requestsPerSecond = options.requestLimit?.perSecond
        configuration.allowsClearPassword = options.allowsClearPassword
        if let transfers = common.transfers {
            configuration.connectionsPerHost = max(configuration.connectionsPerHost, transfers)
        }
        return configuration
    }

    /// Makes a path absolute: later commands may run in any folder.
    private static func absolute(_ path: String?) -> String? {
        path.map { $0.hasPrefix("/") ? $0 : URL(fileURLWithPath: $0).standardizedFileURL.path }
    }
}

struct ListConnections: Verb {
    static let verb = "config ls"
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the names and URLs of the saved connections.")

    @OptionGroup var common: CommonOptions

    var blamed: String? { nil }

    func perform(_ session: Session) async throws {
        try await Connections.show(in: Connections.file(session.environment), session)
    }
}

struct RemoveConnection: Verb {
    static let verb = "config rm"
    static let configuration = CommandConfiguration(commandName: "rm", abstract: "Remove a saved connection.")

    @Argument(help: "Its name.", completion: .connection)
    var name: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { name }

    func perform(_ session: Session) async throws {
        let file = Connections.file(session.environment)
        do { try await NamedConnections.remove(name, from: file) } catch let error
            where (error as? CocoaError)?.code == .fileReadCorruptFile
        {
            throw CommandFailure.usage(error.sentence)
        }
        if common.json { try await Connections.show(in: file, session) }
    }
}

extension Connections {
    /// Prints the connections in `file`; a missing file has none.
    fileprivate static func show(in file: String, _ session: Session) async throws {
        var all = NamedConnections()
        do { all = try await .load(from: file) } catch let error where error.isNoSuchFile {} catch {
            throw CommandFailure.usage(error.sentence)
        }
        if session.common.json { return try session.output.json(all) }
        for (name, connection) in all.connections.sorted(by: { $0.key < $1.key }) {
            try session.output.fields([name, connection.urlWithUser.absoluteString])
        }
    }
}
