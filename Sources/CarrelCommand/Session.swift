import Carrel
import Foundation

/// What a verb works with: locations become providers, results become text or JSON.
final class Session: Sendable {
    let common: CommonOptions
    let output: Output
    private let options: ConnectionOptions
    /// Providers by what their URLs have in common, so that two locations on one host share connections and login.
    private let known = Locked<[String: any FileProvider]>([:])

    init(_ common: CommonOptions) throws {
        self.common = common
        output = Output(isJSON: common.json)
        options = ConnectionOptions(
            credentials: CommandCredentials(
                user: common.user, passwordFile: common.passwordFile, environment: ProcessInfo.processInfo.environment),
            trust: TrustPolicy(
                authorities: common.cacert, clientCertificate: common.clientCert, clientKey: common.clientKey, isInsecure: common.insecure),
            timeouts: Timeouts(connect: min(20, common.timeout), idle: common.timeout),
            retries: RetryPolicy(retries: common.retries),
            bandwidth: try common.bandwidth(), allowsClearPassword: common.allowClearPassword)
        if common.insecure { Output.standardError("carrel: WARNING: certificates are not checked (--insecure).") }
    }

    /// The provider and path of a location as a person writes it.
    func location(_ text: String) async throws -> ProviderLocation {
        let url = try LocationText.url(of: text)
        let key = [url.scheme, url.user(), url.host(), url.port.map(String.init)].map { $0 ?? "" }.joined(separator: "\u{0}")
        if url.scheme != "http", url.scheme != "https", let provider = known.value[key] {
            return ProviderLocation(provider: provider, path: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
        }
        let location = try await ProviderRegistry.shared.location(of: url, options: options)
        known.update { $0[key] = location.provider }
        remark("\(location.provider.debugDescription) \(location.path)")
        return location
    }

    /// Refuses access flags that would go to two hosts.
    func locations(_ texts: [String]) async throws -> [ProviderLocation] {
        let hosts = Set(try texts.compactMap { try LocationText.url(of: $0).host() }.filter { !$0.isEmpty })
        if hosts.count > 1, common.user != nil || common.passwordFile != nil || CommandCredentials.isInEnvironment {
            throw CommandFailure(
                status: .usage,
                sentence: "With two hosts in one command, --user, --password-file, $CARREL_PASSWORD and $CARREL_TOKEN would go to both; "
                    + "use ~/.netrc or the URLs.")
        }
        var found: [ProviderLocation] = []
        for text in texts { found.append(try await location(text)) }
        return found
    }

    /// A line on standard error with `--verbose`.
    func remark(_ text: String) {
        if common.verbose { Output.standardError("carrel: \(text)") }
    }

    func report(_ error: any Error, verb: String) {
        if let failure = error as? CommandFailure, failure.isSilent { return }
        let cause = (error as? ResourceError)?.cause ?? error
        let place = (cause as NSError).userInfo[NSURLErrorKey].map { "\($0)" } ?? (cause as NSError).userInfo[NSFilePathErrorKey] as? String
        let sentence = cause.sentence
        let shown = place.flatMap { sentence.contains($0) || $0.isEmpty ? nil : $0 }
        Output.standardError("carrel: \(verb)\(shown.map { " " + $0 } ?? ""): \(sentence)")
        if common.json { output.printError(cause) }
    }

    func statistics(since start: ContinuousClock.Instant) -> String {
        let counters = options.counters
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return """
            {"requests":\(counters[.requests]),"connections":\(counters[.connections]),"dataConnections":\(counters[.dataConnections]),\
            "bytesIn":\(counters[.bytesIn]),"bytesOut":\(counters[.bytesOut]),"seconds":\(String(format: "%.3f", seconds)),\
            "retries":\(counters[.retries])}
            """
    }
}
