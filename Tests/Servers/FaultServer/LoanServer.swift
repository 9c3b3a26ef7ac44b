public import Foundation
public import SampleBooks
import Synchronization

/// A lender of one protected book on loopback: its package by ranges, its licence, and the status of the loan (License
/// Status Document 1.0).
public final class LoanServer: Sendable {
    /// The loan, as the server has it. Its times have no fractions of a second.
    public struct Loan: Sendable {
        /// A state of section 2.3.
        public var status = "ready"
        /// When the licence was last changed.
        public var updated: Date
        /// When the licence ends.
        public var end: Date
        /// The latest end that a renewal gets.
        public var latestEnd: Date
        /// Whether a loan is extended on a web page only.
        public var isRenewedOnPage = false
        /// The identifiers of the devices that registered.
        public var devices: [String] = []

        var isOpen: Bool { status == "ready" || status == "active" }

        /// A loan of a week that ends in a day, and can be extended by 30 days.
        init() {
            let now = Self.now
            (updated, end) = (now.addingTimeInterval(-6 * 86_400), now.addingTimeInterval(86_400))
            latestEnd = end.addingTimeInterval(30 * 86_400)
        }

        static var now: Date { Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)) }

        mutating func change(status: String, end: Date) {
            (self.status, self.end) = (status, end)
            // Later than the version before, even in the same second.
            updated = max(Self.now, updated.addingTimeInterval(1))
        }
    }

    private let desk: LoanDesk
    private let server: FaultServer

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - book: The package, without a licence.
    ///   - name: The package's name at the server's root.
    ///   - license: All of the licence but its dates and links.
    /// - Throws: `POSIXError` when no port can be had.
    public init(book: Data, name: String, license: SampleLicense = SampleLicense()) throws {
        let desk = LoanDesk(book: book, name: name, license: license)
        server = try FaultServer { desk.answer($0) }
        self.desk = desk
        desk.open(at: server.url())
    }

    /// The root, which ends in a slash.
    public var url: URL { server.url() }

    /// The requests so far.
    public var requests: [FaultServer.Request] { server.requests }

    /// The loan as it is now.
    public var loan: Loan { desk.loan }

    /// Changes the loan.
    public func change(_ body: (inout Loan) -> Void) { desk.change(body) }

    /// The licence as it is now, after `change`.
    public func license(_ change: (inout SampleLicense) -> Void = { _ in }) throws -> Data {
        var license = desk.license
        change(&license)
        return try license.signed()
    }

    /// Closes every connection and the port.
    public func stop() { server.stop() }
}

/// The answers of a ``LoanServer``.
private final class LoanDesk: Sendable {
    private static let statusType = "application/vnd.readium.license.status.v1.0+json"
    private static let licenseType = "application/vnd.readium.lcp.license.v1.0+json"
    private let book: Data
    private let name: String
    private let hash: String
    private let sample: SampleLicense
    private let state = Mutex((loan: LoanServer.Loan(), base: ""))

    init(book: Data, name: String, license: SampleLicense) {
        self.book = book
        self.name = name
        sample = license
        hash = SampleCipher.hash(book).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    func open(at url: URL) { state.withLock { $0.base = url.absoluteString } }

    var loan: LoanServer.Loan { state.withLock { $0.loan } }

    func change(_ body: (inout LoanServer.Loan) -> Void) { state.withLock { body(&$0.loan) } }

    var license: SampleLicense {
        let (loan, base) = state.withLock { $0 }
        var license = sample
        license.issued = loan.updated.addingTimeInterval(-86_400)
        license.updated = loan.updated
        license.end = loan.end
        license.publicationHref = base + name
        license.publicationLength = Int64(book.count)
        license.publicationHash = hash
        license.statusHref = base + "status"
        return license
    }

    func answer(_ request: FaultServer.Request) -> FaultServer.Answer {
        let address = URLComponents(string: request.target)
        let items = (address?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        let query = Dictionary(items, uniquingKeysWith: { first, _ in first })
        switch (request.method, address?.path ?? "") {
        case ("GET", "/\(name)"), ("HEAD", "/\(name)"): return .file(book, for: request)
        case ("GET", "/license"):
            guard let data = try? license.signed() else { return .reply(500) }
            return .reply(200, headers: ["Content-Type": Self.licenseType], body: data)
        case ("GET", "/status"): return status
        case ("POST", "/register"): return register(query["id"] ?? "")
        case ("PUT", "/renew"): return renew(query["end"])
        case ("PUT", "/return"):
            guard loan.isOpen else { return refusal("The loan is over already.") }
            change { $0.change(status: "returned", end: LoanServer.Loan.now.addingTimeInterval(-1)) }
            return status
        case ("GET", _), ("HEAD", _): return .reply(404)
        default: return .reply(405)
        }
    }

    private func register(_ device: String) -> FaultServer.Answer {
        guard loan.isOpen, !device.isEmpty else { return refusal("The device cannot be registered.") }
        change { loan in
            loan.status = "active"
            if !loan.devices.contains(device) { loan.devices.append(device) }
        }
        return status
    }

    private func renew(_ text: String?) -> FaultServer.Answer {
        let loan = loan
        let end = text.flatMap { try? Date($0, strategy: Date.ISO8601FormatStyle()) } ?? loan.latestEnd
        guard loan.isOpen, end <= loan.latestEnd else { return refusal("Others wait for this book.") }
        change { $0.change(status: "active", end: end) }
        return status
    }

    /// RFC 9457.
    private func refusal(_ title: String) -> FaultServer.Answer {
        json(403, "application/problem+json", ["title": title])
    }

    private var status: FaultServer.Answer {
        let (loan, base) = state.withLock { $0 }
        let parameters = ["register": "{?id,name}", "renew": "{?end,id,name}", "return": "{?id,name}"]
        var links: [[String: Any]] = [["rel": "license", "href": base + "license", "type": Self.licenseType]]
        for (rel, variables) in parameters.sorted(by: { $0.key < $1.key }) where loan.isOpen {
            let isPage = rel == "renew" && loan.isRenewedOnPage
            links.append([
                "rel": rel, "href": base + rel + (isPage ? ".html" : variables), "templated": !isPage,
                "type": isPage ? "text/html" : Self.statusType,
            ])
        }
        let changed = loan.updated.formatted(.iso8601)
        return json(
            200, Self.statusType,
            [
                "id": sample.id, "status": loan.status, "message": "The loan is \(loan.status).",
                "updated": ["license": changed, "status": changed], "links": links,
                "potential_rights": ["end": loan.latestEnd.formatted(.iso8601)],
            ])
    }

    private func json(_ status: Int, _ type: String, _ object: [String: Any]) -> FaultServer.Answer {
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys) else {
            return .reply(500)
        }
        return .reply(status, headers: ["Content-Type": type], body: data)
    }
}
