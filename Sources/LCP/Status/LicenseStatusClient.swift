import FileProviderCore
public import Foundation
import MediaTypes
import Publication

/// Asks providers what has become of a licence, registers this device, and renews or ends loans (LSD 1.0).
///
/// After a failure a provider is left alone for a while: longer each time, up to an hour, and at least as long as it
/// asks for (`Retry-After`). Calls in that time fail at once.
public final class LicenseStatusClient: Sendable {
    /// What a provider says of a licence.
    public struct Answer: Hashable, Sendable {
        /// The licence: a newer one where the provider has it, else the one in hand. A newer one is not validated yet.
        public var license: LicenseDocument
        /// Its status.
        public var status: StatusDocument
    }

    private let connection: any LicenseConnection
    private let identity: @Sendable () async throws -> DeviceIdentity?
    private let store: any LicenseStore
    private let clock: @Sendable () -> Date
    private let known = LockedValue<[URL: Known]>([:])

    /// What is remembered of an address.
    private struct Known {
        var document: StatusDocument?
        var validators: [String: String] = [:]
        var failures = 0
        var notBefore = Date.distantPast
    }

    /// - Parameters:
    ///   - connection: The app's way to servers.
    ///   - device: What devices register as; nil to register none.
    ///   - store: Keeps that the device has registered, and how a licence was ended.
    ///   - clock: The time for pauses after failures.
    public init(
        connection: any LicenseConnection, device: DeviceIdentity? = nil,
        store: any LicenseStore = MemoryLicenseStore(),
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.connection = connection
        identity = { device }
        self.store = store
        self.clock = clock
    }

    /// A client for an identity that is not made, or read, before a provider gets it.
    package init(
        connection: any LicenseConnection, store: any LicenseStore,
        identity: @escaping @Sendable () async throws -> DeviceIdentity
    ) {
        self.connection = connection
        self.identity = identity
        self.store = store
        clock = { Date() }
    }

    // MARK: Asking

    /// Returns the status of `license`, and the licence that takes its place where there is one. Registers the device if
    /// the licence may be used and that did not happen yet.
    ///
    /// - Throws: ``LCPProblem`` of the kinds `statusUnavailable` and `invalidStatus`; errors of the connection. A device
    ///   that cannot be registered is no error: the next call tries again.
    /// - Complexity: One request; one more for a newer licence, and one to register.
    public func refresh(_ license: LicenseDocument) async throws -> Answer {
        var status = try await status(of: license)
        if status.status == .ready || status.status == .active {
            do { status = try await registered(status, license) } catch let error where !error.isCancellation {}
        }
        guard status.licenseUpdated > license.date, let newer = try await newer(license, status) else {
            return Answer(license: license, status: status)
        }
        return Answer(license: newer, status: status)
    }

    /// Returns the status of `license`. An answer that was received before is asked for with its validators.
    ///
    /// - Throws: As ``refresh(_:)``.
    public func status(of license: LicenseDocument) async throws -> StatusDocument {
        let url = try address(license.link("status"), what: "status")
        let entry = known.value[url] ?? Known()
        guard clock() >= entry.notBefore else { throw LCPProblem(.statusUnavailable) }
        let response: LicenseResponse
        do {
            response = try await connection.send(
                request("GET", url, accept: StatusDocument.mediaType, entry.document == nil ? [:] : entry.validators))
        } catch {
            if !error.isCancellation { failed(url, nil) }
            throw error
        }
        if response.status == 304, let document = entry.document {
            known.update { $0[url]?.failures = 0 }
            return document
        }
        guard response.status == 200 else {
            failed(url, response)
            throw problem(response, .statusUnavailable, of: license)
        }
        do {
            let document = try document(response, of: license)
            var validators: [String: String] = [:]
            validators["If-None-Match"] = response.header("ETag")
            validators["If-Modified-Since"] = response.header("Last-Modified")
            known.update { $0[url] = Known(document: document, validators: validators) }
            if let ending = LicenseEnding(document) { await keep(ending, of: license) }
            return document
        } catch {
            failed(url, nil)
            throw error
        }
    }

    private func failed(_ url: URL, _ response: LicenseResponse?) {
        let wanted = response.map { wantedPause($0) } ?? 0
        known.update { known in
            var entry = known[url] ?? Known()
            entry.failures += 1
            let pause = min(3600, 5 * pow(2, Double(min(entry.failures, 12) - 1))) * Double.random(in: 0.8...1.2)
            entry.notBefore = clock() + max(pause, min(max(0, wanted), 86_400))
            known[url] = entry
        }
    }

    /// The seconds that `Retry-After` asks for, as a number or as a date (RFC 9110, section 10.2.3); 0 without it.
    private func wantedPause(_ response: LicenseResponse) -> TimeInterval {
        guard let text = response.header("Retry-After") else { return 0 }
        if let seconds = Double(text) { return seconds }
        // The server's own time: this machine's clock may be wrong.
        let now = response.header("Date").flatMap { Date(httpText: $0) } ?? clock()
        return Date(httpText: text)?.timeIntervalSince(now) ?? 0
    }

    /// The licence that the status leads to; nil for one that is not newer, not readable or another's. One that cannot be
    /// fetched must not keep the status from being looked at.
    private func newer(_ license: LicenseDocument, _ status: StatusDocument) async throws -> LicenseDocument? {
        guard let link = status.link("license") ?? license.link("self"), let url = try? address(link, what: "license")
        else { return nil }
        let response: LicenseResponse
        do {
            response = try await connection.send(request("GET", url, accept: LicenseDocument.mediaType))
        } catch let error where !error.isCancellation {
            return nil
        }
        guard response.status == 200, let newer = try? LicenseDocument(data: response.data), newer.id == license.id,
            newer.date > license.date
        else { return nil }
        return newer
    }

    // MARK: Registering, renewing, returning

    /// Registers the device unless that happened before.
    private func registered(_ status: StatusDocument, _ license: LicenseDocument) async throws -> StatusDocument {
        guard status.link("register") != nil, let device = try await identity(),
            !(try await store.isRegistered(device.id, for: license.id))
        else { return status }
        return try await register(status, of: license)
    }

    /// Registers this device (LSD 1.0, section 3.3).
    ///
    /// - Throws: ``LCPProblem`` of the kind `refusedRegistration`; errors of the connection and the store.
    public func register(_ status: StatusDocument, of license: LicenseDocument) async throws -> StatusDocument {
        guard let link = status.link("register"), let device = try await identity() else { return status }
        let url = try address(link, what: "register", parameters(device))
        let answer = try await change("POST", url, of: license, .refusedRegistration)
        try await store.setRegistered(device.id, for: license.id)
        return answer
    }

    /// Asks for more time (LSD 1.0, section 3.4).
    ///
    /// - Parameter end: The end that is wanted; nil for what the provider gives.
    /// - Returns: The status, and the licence with the new end where the provider has it already.
    /// - Throws: ``LCPProblem`` of the kinds `refusedRenewal`, `needsBrowser` for a provider that has a page for it, and
    ///   those of ``refresh(_:)``.
    public func renew(_ license: LicenseDocument, until end: Date? = nil) async throws -> Answer {
        let status = try await status(of: license)
        var parameters = try await deviceParameters()
        parameters["end"] = end.map { $0.formatted(.iso8601) }
        let url = try link("renew", of: status, .refusedRenewal, parameters)
        let answer = try await change("PUT", url, of: license, .refusedRenewal)
        guard answer.licenseUpdated > license.date, let newer = try await newer(license, answer) else {
            return Answer(license: license, status: answer)
        }
        return Answer(license: newer, status: answer)
    }

    /// Gives the publication back before its time (LSD 1.0, section 3.5). Its licence is of no use from then on.
    ///
    /// - Throws: ``LCPProblem`` of the kinds `refusedReturn` and `needsBrowser`, `returned` and `expired` if the loan was
    ///   over before, and those of ``status(of:)``.
    @discardableResult
    public func returnLicense(_ license: LicenseDocument) async throws -> StatusDocument {
        let status = try await status(of: license)
        let parameters = try await deviceParameters()
        let url = try link("return", of: status, .refusedReturn, parameters)
        return try await change("PUT", url, of: license, .refusedReturn)
    }

    private func parameters(_ device: DeviceIdentity) -> [String: String] { ["id": device.id, "name": device.name] }

    private func deviceParameters() async throws -> [String: String] {
        let device = try await identity()
        return device.map(parameters) ?? [:]
    }

    /// The first address for `rel` that is no page for people.
    private func link(
        _ rel: String, of status: StatusDocument, _ refusal: LCPProblem.Kind, _ parameters: [String: String]
    )
        throws -> URL
    {
        let links = status.links(rel)
        let isPage: (LicenseLink) -> Bool = { $0.type.flatMap(MediaType.init)?.isHTML == true }
        if let link = links.first(where: { !isPage($0) }) { return try address(link, what: rel, parameters) }
        if let page = links.first { throw LCPProblem(.needsBrowser(try address(page, what: rel, parameters))) }
        throw LCPProblem(refusal, sentence: "The provider does not offer that for this licence.")
    }

    private func change(_ method: String, _ url: URL, of license: LicenseDocument, _ refusal: LCPProblem.Kind)
        async throws -> StatusDocument
    {
        let response = try await connection.send(request(method, url, accept: StatusDocument.mediaType))
        guard (200..<300).contains(response.status) else {
            throw problem(response, refusal, of: license)
        }
        let document = try document(response, of: license)
        if let status = license.link("status")?.url() {
            known.update { $0[status] = Known(document: document) }
        }
        await keep(LicenseEnding(document), of: license)
        return document
    }

    /// Keeps that the provider ended the licence, or did not. What it did counts even if that cannot be kept.
    private func keep(_ ending: LicenseEnding?, of license: LicenseDocument) async {
        try? await store.setEnding(ending, of: license.id)
    }

    // MARK: Requests and answers

    private func address(_ link: LicenseLink?, what: String, _ parameters: [String: String] = [:]) throws -> URL {
        guard let link, let url = link.url(parameters), ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw LCPProblem(.statusUnavailable, sentence: "The licence has no usable link “\(what)”.")
        }
        return url
    }

    private func request(_ method: String, _ url: URL, accept: String, _ headers: [String: String] = [:])
        -> LicenseRequest
    {
        LicenseRequest(
            method: method, url: url, headers: headers.merging(["Accept": accept]) { $1 }, limit: StatusDocument.largest
        )
    }

    private func document(_ response: LicenseResponse, of license: LicenseDocument) throws -> StatusDocument {
        let document = try StatusDocument(data: response.data)
        guard document.id == license.id else {
            throw LCPProblem(.invalidStatus, sentence: "The provider answered about another licence.")
        }
        return document
    }

    /// A refusal of the kind that the server's type says, or `refusal`, with the server's words (RFC 9457).
    private func problem(_ response: LicenseResponse, _ refusal: LCPProblem.Kind, of license: LicenseDocument)
        -> LCPProblem
    {
        let json = try? JSONValue(data: response.data, maximumSize: 1 << 16)
        let title = (json?["title"]?.stringValue ?? json?["detail"]?.stringValue).map(Self.shown)
        let type = json?["type"]?.stringValue.flatMap { StatusRefusal(type: $0) }
        let usual = type?.problem(of: license, at: clock()) ?? LCPProblem(refusal)
        guard let title, !title.isEmpty else {
            return LCPProblem(usual.kind, sentence: "\(usual.sentence) (HTTP status \(response.status))")
        }
        return LCPProblem(usual.kind, sentence: "\(usual.sentence) It says: “\(title)”")
    }

    /// A server's words on one line.
    private static func shown(_ text: String) -> String {
        let line = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : String($0) }.joined()
        return String(line.split(separator: " ").joined(separator: " ").prefix(300))
    }
}
