import ArgumentParser
import Carrel
import Foundation

/// The options of every verb.
struct CommonOptions: ParsableArguments {
    @Flag(help: "Print one JSON document.")
    var json = false
    @Flag(help: "Print no progress and no remarks.")
    var quiet = false
    @Flag(help: "Log to standard error, with a line for each request; never a secret.")
    var verbose = false
    @Flag(help: "At the end, print one line of JSON with requests, connections and bytes to standard error.")
    var stats = false
    @Option(
        help: ArgumentHelp(
            "Give up if no data moves for this long; the default is the connection's setting, else 60.",
            valueName: "seconds")
    )
    var timeout: Double?
    @Option(
        help: ArgumentHelp(
            "Retries after a temporary failure; the default is the connection's setting, else 3.", valueName: "n")
    )
    var retries: Int?
    @Option(
        help: ArgumentHelp(
            "Simultaneous transfers; the default is the number that suits the storages best.", valueName: "n"))
    var transfers: Int?
    @Option(
        help: ArgumentHelp(
            "Bytes per second to and from servers, with K, M or G for powers of 1024; for sync, between local folders, too.",
            valueName: "rate"))
    var bwlimit: String?

    @Option(help: ArgumentHelp("Requests per second to each server.", valueName: "n"))
    var requestLimit: Double?

    @Option(
        help: ArgumentHelp(
            "Use this proxy: http, https, socks5 or socks5h; “none” for no proxy, whatever the environment says.",
            valueName: "url"))
    var proxy: String?

    @Option(help: ArgumentHelp("The user, if the URL names none.", valueName: "name"))
    var user: String?
    @Option(help: ArgumentHelp("A file whose first line is the password.", valueName: "file"), completion: .file())
    var passwordFile: String?
    @Option(
        help: ArgumentHelp("A PEM file of authorities to trust instead of the system's.", valueName: "file"),
        completion: .file())
    var cacert: String?
    @Option(help: ArgumentHelp("A PEM file with the client's certificate.", valueName: "file"), completion: .file())
    var clientCert: String?
    @Option(help: ArgumentHelp("A PEM file with its key.", valueName: "file"), completion: .file())
    var clientKey: String?
    @Option(
        help: ArgumentHelp("A private key to log in with over SSH; may be repeated.", valueName: "file"),
        completion: .file())
    var identity: [String] = []
    @Option(
        help: ArgumentHelp("A file of known SSH hosts instead of ~/.ssh/known_hosts.", valueName: "file"),
        completion: .file())
    var knownHosts: String?
    @Flag(
        help:
            "Accept and store the key of an SSH server that is not known yet. A changed key is still refused."
    )
    var acceptNewHostKey = false
    @Option(
        help: ArgumentHelp(
            "Accept only an SSH host key with this fingerprint (SHA256:…).",
            valueName: "fingerprint"))
    var hostKey: [String] = []
    @Option(
        help: ArgumentHelp(
            "The URL of a storage service, if not the provider's usual one, such as an S3 server.", valueName: "url"))
    var endpoint: String?
    @Option(
        help: ArgumentHelp(
            "A setting of a single provider, such as transport=ssh; may be repeated.", valueName: "name=value"))
    var setting: [String] = []
    @Flag(help: "Don't check certificates. Anyone on the network path can then read and change everything.")
    var insecure = false
    @Option(
        help: ArgumentHelp(
            "Trust a TLS server by the hash of its key (sha256//…) or its certificate's SHA-256 fingerprint, and no other; may be repeated.",
            valueName: "fingerprint"))
    var pin: [String] = []
    @Flag(help: "Allow a password to be sent over an unencrypted connection.")
    var allowClearPassword = false

    func validate() throws {
        guard timeout.map({ $0 > 0 && $0.isFinite }) ?? true else {
            throw ValidationError("--timeout needs a positive number of seconds.")
        }
        guard (0...100).contains(retries ?? 0) else { throw ValidationError("--retries needs a number from 0 to 100.") }
        guard (1...64).contains(transfers ?? 1) else {
            throw ValidationError("--transfers needs a number from 1 to 64.")
        }
        guard (0.001...1_000_000).contains(requestLimit ?? 1) else {
            throw ValidationError("--request-limit needs a number from 0.001 to 1000000.")
        }
        _ = try settings()
        if acceptNewHostKey, !hostKey.isEmpty {
            throw ValidationError("--accept-new-host-key and --host-key cannot be combined.")
        }
        for text in pin where ServerPin(text) == nil {
            throw ValidationError(
                "--pin needs sha256//… with the Base64 hash of a key, or a certificate's SHA-256 fingerprint.")
        }
        if insecure, !pin.isEmpty { throw ValidationError("--insecure and --pin cannot be combined.") }
        _ = try bandwidth()
        var options = ConnectionOptions()
        try applyProxy(to: &options)
        for file in [cacert, clientCert, clientKey, passwordFile].compactMap(\.self) + identity {
            if let reason = unreadable(file) { throw ValidationError("The file “\(file)” cannot be read: \(reason).") }
        }
    }

    /// Returns the URL with the user of `--user` if it has none: a login with a key asks for no user elsewhere.
    func naming(_ url: URL) -> URL {
        guard let user, url.scheme?.lowercased() == "sftp", url.user() == nil,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else { return url }
        parts.user = user
        return parts.url ?? url
    }

    /// Returns the values of `--setting` by name.
    func settings() throws -> [String: String] {
        let known = ProviderRegistry.shared.all.reduce(into: Set<String>()) { $0.formUnion($1.settings) }
        return try setting.reduce(into: [:]) { settings, text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                throw ValidationError("--setting needs a name and a value, such as transport=ssh.")
            }
            guard known.contains(parts[0]) else {
                throw ValidationError(
                    "No provider has a setting “\(parts[0])”; there are: \(known.sorted().joined(separator: ", ")).")
            }
            settings[parts[0]] = parts[1]
        }
    }

    /// Whether a flag is given whose value every host would receive.
    var hasAccessFlags: Bool {
        [user, passwordFile, cacert, clientCert, clientKey, knownHosts].contains { $0 != nil } || insecure
            || allowClearPassword
            || !identity.isEmpty || acceptNewHostKey || !hostKey.isEmpty || !pin.isEmpty
    }

    /// Applies the flags, which take precedence over a saved connection.
    func apply(to options: inout ConnectionOptions) throws {
        if let timeout {
            options.timeouts = Timeouts(
                connect: min(options.timeouts.connect, timeout), idle: timeout, whole: options.timeouts.whole)
        }
        if let retries { options.retries.retries = retries }
        if let bandwidth = try bandwidth() { options.bandwidth = bandwidth }
        if let requestLimit { options.requestLimit = RequestLimit(perSecond: requestLimit) }
        // Simultaneous transfers need as many connections.
        options.connectionsPerHost = max(options.connectionsPerHost, transfers ?? 1)
        if acceptNewHostKey, case .pinned = options.trust.hostKeys {
            throw CommandFailure.usage(
                "--accept-new-host-key cannot be used with a connection that pins a host key.")
        }
        if insecure, !options.trust.pins.isEmpty {
            throw CommandFailure.usage(
                "--insecure cannot be used with a connection that pins a certificate.")
        }
        options.trust = TrustPolicy(
            authorities: cacert ?? options.trust.authorities,
            clientCertificate: clientCert ?? options.trust.clientCertificate,
            clientKey: clientKey ?? options.trust.clientKey, isInsecure: insecure || options.trust.isInsecure,
            identities: identity.isEmpty ? options.trust.identities : identity,
            knownHosts: knownHosts.map { [$0] } ?? options.trust.knownHosts,
            hostKeys: !hostKey.isEmpty ? .pinned(hostKey) : acceptNewHostKey ? .acceptNew : options.trust.hostKeys,
            pins: pin.isEmpty ? options.trust.pins : pin.compactMap { ServerPin($0) })
        options.allowsClearPassword = allowClearPassword || options.allowsClearPassword
        try applyProxy(to: &options)
    }

    private func applyProxy(to options: inout ConnectionOptions) throws {
        guard let proxy else { return }
        if proxy == "none" {
            options.proxy = .none
            return
        }
        guard let url = URL(string: proxy) else {
            throw ValidationError("--proxy needs a URL, such as http://proxy.example:3128.")
        }
        do { try options.useProxy(at: url) } catch { throw ValidationError(error.sentence) }
    }

    func bandwidth() throws -> Int64? {
        guard let bwlimit else { return nil }
        let factors: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let factor = bwlimit.uppercased().last.flatMap { factors[$0] }
        guard let number = Double(factor == nil ? bwlimit : String(bwlimit.dropLast())), number > 0, number < 1e12
        else {
            throw ValidationError("--bwlimit needs bytes per second, such as 500K or 2M.")
        }
        return max(1, Int64(number * Double(factor ?? 1)))
    }
}
