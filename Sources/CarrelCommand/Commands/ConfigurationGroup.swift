import ArgumentParser
import Carrel
import Foundation

struct ConfigurationGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Keep connections under names, which then stand in front of paths: NAME:path.",
        discussion: """
            They are kept in $CARREL_CONFIG, else $XDG_CONFIG_HOME/carrel/config.json, else ~/.config/carrel/config.json, without passwords.
            """,
        subcommands: [AddConnection.self, ListConnections.self, RemoveConnection.self])
}

struct AddConnection: Verb {
    static let verb = "config add"
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Keep a connection under a name.",
        discussion: """
            Flags such as --user, --cacert, --identity, --timeout, --proxy, --endpoint and --setting are kept with it. Nothing is connected. \
            A password is not kept: it comes from ~/.netrc, $CARREL_PASSWORD, --password-file or a question.
            """)

    @Flag(help: "Replace a connection of that name.")
    var overwrite = false
    @Argument(help: "Letters, digits and + - . _ are a name; a scheme, such as dav, is none.")
    var name: String
    @Argument(help: "A folder: a URL, or a path on this machine.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { name }

    func perform(_ session: Session) async throws {
        let file = Connections.file(session.environment)
        guard NamedConnections.isName(name), !ProviderRegistry.shared.hasScheme(name) else {
            throw CommandFailure.usage(
                "“\(name)” is no name for a connection: letters, digits and + - . _ are, and no scheme.")
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
            throw CommandFailure.usage("A connection is made of a URL or a path, not of another connection.")
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

    /// The file is read from anywhere.
    private static func absolute(_ path: String?) -> String? {
        path.map { $0.hasPrefix("/") ? $0 : URL(fileURLWithPath: $0).standardizedFileURL.path }
    }
}

struct ListConnections: Verb {
    static let verb = "config ls"
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Tell the names and URLs of the connections that are kept.")

    @OptionGroup var common: CommonOptions

    var blamed: String? { nil }

    func perform(_ session: Session) async throws {
        try await Connections.show(in: Connections.file(session.environment), session)
    }
}

struct RemoveConnection: Verb {
    static let verb = "config rm"
    static let configuration = CommandConfiguration(commandName: "rm", abstract: "Forget a connection.")

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
    /// Prints what is kept in `file`; a missing one holds nothing.
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
