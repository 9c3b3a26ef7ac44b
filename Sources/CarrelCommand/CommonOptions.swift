import ArgumentParser
import Carrel
import Foundation

/// What every verb takes.
struct CommonOptions: ParsableArguments {
    @Flag(help: "Print one JSON document.")
    var json = false
    @Flag(help: "No progress, no remarks.")
    var quiet = false
    @Flag(help: "Say on standard error what is done; never a secret.")
    var verbose = false
    @Flag(help: "At the end, one line of JSON on standard error with requests, connections and bytes.")
    var stats = false
    @Option(
        help: ArgumentHelp("Give up when nothing moved for so many seconds; 60 unless the connection says otherwise.", valueName: "seconds")
    )
    var timeout: Double?
    @Option(help: ArgumentHelp("Try again so often after a failure that may pass; 3 unless the connection says otherwise.", valueName: "n"))
    var retries: Int?
    @Option(help: ArgumentHelp("Files in flight at once.", valueName: "n"))
    var transfers: Int = 4
    @Option(help: ArgumentHelp("Bytes a second, with K, M or G for 1024s.", valueName: "rate"))
    var bwlimit: String?

    @Option(
        help: ArgumentHelp(
            "Go by this proxy: http, https, socks5 or socks5h; “none” for no proxy, whatever the environment says.", valueName: "url"))
    var proxy: String?

    @Option(help: ArgumentHelp("The user, where the URL names none.", valueName: "name"))
    var user: String?
    @Option(help: ArgumentHelp("A file whose first line is the password.", valueName: "file"))
    var passwordFile: String?
    @Option(help: ArgumentHelp("A PEM file of authorities to trust instead of the system's.", valueName: "file"))
    var cacert: String?
    @Option(help: ArgumentHelp("A PEM file with the client's certificate.", valueName: "file"))
    var clientCert: String?
    @Option(help: ArgumentHelp("A PEM file with its key.", valueName: "file"))
    var clientKey: String?
    @Option(help: ArgumentHelp("Where a storage service is that is not its provider's usual one, such as an S3 server.", valueName: "url"))
    var endpoint: String?
    @Flag(help: "Check no certificates. Anybody on the way can then read and change everything.")
    var insecure = false
    @Flag(help: "Let a password go over a connection that is not encrypted.")
    var allowClearPassword = false

    func validate() throws {
        guard timeout.map({ $0 > 0 && $0.isFinite }) ?? true else { throw ValidationError("--timeout takes a positive number of seconds.") }
        guard (0...100).contains(retries ?? 0) else { throw ValidationError("--retries takes a number from 0 to 100.") }
        guard (1...64).contains(transfers) else { throw ValidationError("--transfers takes a number from 1 to 64.") }
        _ = try bandwidth()
        var options = ConnectionOptions()
        try applyProxy(to: &options)
        for file in [cacert, clientCert, clientKey, passwordFile].compactMap(\.self) {
            if let reason = unreadable(file) { throw ValidationError("The file “\(file)” cannot be read: \(reason).") }
        }
    }

    /// Whether a flag is given that every host would get.
    var hasAccessFlags: Bool {
        [user, passwordFile, cacert, clientCert, clientKey].contains { $0 != nil } || insecure || allowClearPassword
    }

    /// Puts what the flags say before what a saved connection says.
    func apply(to options: inout ConnectionOptions) throws {
        if let timeout {
            options.timeouts = Timeouts(connect: min(options.timeouts.connect, timeout), idle: timeout, whole: options.timeouts.whole)
        }
        if let retries { options.retries.retries = retries }
        if let bandwidth = try bandwidth() { options.bandwidth = bandwidth }
        // Files in flight that wait for a connection would be none.
        options.connectionsPerHost = max(options.connectionsPerHost, transfers)
        options.trust = TrustPolicy(
            authorities: cacert ?? options.trust.authorities, clientCertificate: clientCert ?? options.trust.clientCertificate,
            clientKey: clientKey ?? options.trust.clientKey, isInsecure: insecure || options.trust.isInsecure)
        options.allowsClearPassword = allowClearPassword || options.allowsClearPassword
        try applyProxy(to: &options)
    }

    private func applyProxy(to options: inout ConnectionOptions) throws {
        guard let proxy else { return }
        if proxy == "none" {
            options.proxy = .none
            return
        }
        guard let url = URL(string: proxy) else { throw ValidationError("--proxy takes a URL, such as http://proxy.example:3128.") }
        do { try options.useProxy(at: url) } catch { throw ValidationError(error.sentence) }
    }

    func bandwidth() throws -> Int64? {
        guard let bwlimit else { return nil }
        let factors: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let factor = bwlimit.uppercased().last.flatMap { factors[$0] }
        guard let number = Double(factor == nil ? bwlimit : String(bwlimit.dropLast())), number > 0, number < 1e12 else {
            throw ValidationError("--bwlimit takes bytes a second, such as 500K or 2M.")
        }
        return max(1, Int64(number * Double(factor ?? 1)))
    }
}
