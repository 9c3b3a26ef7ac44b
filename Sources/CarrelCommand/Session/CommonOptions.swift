import ArgumentParser
import Carrel
import Foundation

/// What every verb takes.
struct CommonOptions: ParsableArguments {
    @Flag(help: "Print one JSON document.")
    var json = false
    @Flag(help: "No progress, no remarks.")
    var quiet = false
    @Flag(help: "Say on standard error what is done, with a line for each request; never a secret.")
    var verbose = false
    @Flag(help: "At the end, one line of JSON on standard error with requests, connections and bytes.")
    var stats = false
    @Option(
        help: ArgumentHelp(
            "Give up when nothing moved for so many seconds; 60 unless the connection says otherwise.",
            valueName: "seconds")
    )
    var timeout: Double?
    @Option(
        help: ArgumentHelp(
            "Try again so often after a failure that may pass; 3 unless the connection says otherwise.", valueName: "n")
    )
    var retries: Int?
    @Option(
        help: ArgumentHelp("Files in flight at once; without it, as many as the storages are best at.", valueName: "n"))
    var transfers: Int?
    @Option(help: ArgumentHelp("Bytes a second, with K, M or G for 1024s.", valueName: "rate"))
    var bwlimit: String?

    @Option(help: ArgumentHelp("Requests a second to each server.", valueName: "n"))
    var requestLimit: Double?

    @Option(
        help: ArgumentHelp(
            "Go by this proxy: http, https, socks5 or socks5h; “none” for no proxy, whatever the environment says.",
            valueName: "url"))
    var proxy: String?

    @Option(help: ArgumentHelp("The user, where the URL names none.", valueName: "name"))
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
        help: ArgumentHelp("The known hosts of SSH, instead of ~/.ssh/known_hosts.", valueName: "file"),
        completion: .file())
    var knownHosts: String?
    @Flag(
        help:
            "Take the key of an SSH server that is not known yet, and know it from then on. A changed key is refused all the same."
    )
    var acceptNewHostKey = false
    @Option(
        help: ArgumentHelp(
            "Take the key of an SSH server that has this fingerprint (SHA256:…), and no other.",
            valueName: "fingerprint"))
    var hostKey: [String] = []
    @Option(
        help: ArgumentHelp(
            "Where a storage service is that is not its provider's usual one, such as an S3 server.", valueName: "url"))
    var endpoint: String?
    @Option(
        help: ArgumentHelp(
            "What one provider alone knows, such as transport=ssh; may be repeated.", valueName: "name=value"))
    var setting: [String] = []
    @Flag(help: "Check no certificates. Anybody on the way can then read and change everything.")
    var insecure = false
    @Option(
        help: ArgumentHelp(
            "Trust a TLS server by the hash of its key (sha256//…) or its certificate's SHA-256 fingerprint, and no other; may be repeated.",
            valueName: "fingerprint"))
    var pin: [String] = []
    @Flag(help: "Let a password go over a connection that is not encrypted.")
    var allowClearPassword = false

    func validate() throws {
        guard timeout.map({ $0 > 0 && $0.isFinite }) ?? true else {
            throw ValidationError("--timeout takes a positive number of seconds.")
        }
        guard (0...100).contains(retries ?? 0) else { throw ValidationError("--retries takes a number from 0 to 100.") }
        guard (1...64).contains(transfers ?? 1) else {
            throw ValidationError("--transfers takes a number from 1 to 64.")
        }
        guard (0.001...1_000_000).contains(requestLimit ?? 1) else {
            throw ValidationError("--request-limit takes a number from 0.001 to 1000000.")
        }
        _ = try settings()
        if acceptNewHostKey, !hostKey.isEmpty {
            throw ValidationError("--accept-new-host-key and --host-key exclude each other.")
        }
        for text in pin where ServerPin(text) == nil {
            throw ValidationError(
                "--pin takes sha256//… with the Base64 hash of a key, or a certificate's SHA-256 fingerprint.")
        }
        if insecure, !pin.isEmpty { throw ValidationError("--insecure and --pin exclude each other.") }
        _ = try bandwidth()
        var options = ConnectionOptions()
        try applyProxy(to: &options)
        for file in [cacert, clientCert, clientKey, passwordFile].compactMap(\.self) + identity {
            if let reason = unreadable(file) { throw ValidationError("The file “\(file)” cannot be read: \(reason).") }
        }
    }

    /// With the user of `--user`, where the URL has none: a login by a key asks no one else.
    func naming(_ url: URL) -> URL {
        guard let user, url.scheme?.lowercased() == "sftp", url.user() == nil,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else { return url }
        parts.user = user
        return parts.url ?? url
    }

    /// Those of `--setting`, by name.
    func settings() throws -> [String: String] {
        let known = ProviderRegistry.shared.all.reduce(into: Set<String>()) { $0.formUnion($1.settings) }
        return try setting.reduce(into: [:]) { settings, text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                throw ValidationError("--setting takes a name and a value, such as transport=ssh.")
            }
            guard known.contains(parts[0]) else {
                throw ValidationError(
                    "No provider has a setting “\(parts[0])”; there are: \(known.sorted().joined(separator: ", ")).")
            }
            settings[parts[0]] = parts[1]
        }
    }

    /// Whether a flag is given that every host would get.
    var hasAccessFlags: Bool {
        [user, passwordFile, cacert, clientCert, clientKey, knownHosts].contains { $0 != nil } || insecure
            || allowClearPassword
            || !identity.isEmpty || acceptNewHostKey || !hostKey.isEmpty || !pin.isEmpty
    }

    /// Puts what the flags say before what a saved connection says.
    func apply(to options: inout ConnectionOptions) throws {
        if let timeout {
            options.timeouts = Timeouts(
                connect: min(options.timeouts.connect, timeout), idle: timeout, whole: options.timeouts.whole)
        }
        if let retries { options.retries.retries = retries }
        if let bandwidth = try bandwidth() { options.bandwidth = bandwidth }
        if let requestLimit { options.requestLimit = RequestLimit(perSecond: requestLimit) }
        // Files in flight that wait for a connection would be none.
        options.connectionsPerHost = max(options.connectionsPerHost, transfers ?? 1)
        if acceptNewHostKey, case .pinned = options.trust.hostKeys {
            throw CommandFailure.usage(
                "--accept-new-host-key would take another key than the one that the connection asks for.")
        }
        if insecure, !options.trust.pins.isEmpty {
            throw CommandFailure.usage(
                "--insecure would take another certificate than the one that the connection asks for.")
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
            throw ValidationError("--proxy takes a URL, such as http://proxy.example:3128.")
        }
        do { try options.useProxy(at: url) } catch { throw ValidationError(error.sentence) }
    }

    func bandwidth() throws -> Int64? {
        guard let bwlimit else { return nil }
        let factors: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let factor = bwlimit.uppercased().last.flatMap { factors[$0] }
        guard let number = Double(factor == nil ? bwlimit : String(bwlimit.dropLast())), number > 0, number < 1e12
        else {
            throw ValidationError("--bwlimit takes bytes a second, such as 500K or 2M.")
        }
        return max(1, Int64(number * Double(factor ?? 1)))
    }
}
