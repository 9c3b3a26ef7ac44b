import Foundation
import SampleBooks
import Synchronization
import Testing

import LCP

/// A provider's server of few lines.
private final class ScriptedServer: LicenseConnection {
    typealias Answer = @Sendable (LicenseRequest) throws -> LicenseResponse
    private let answer: Answer
    private let log = Mutex<[LicenseRequest]>([])

    init(_ answer: @escaping Answer) { self.answer = answer }

    var requests: [LicenseRequest] { log.withLock { $0 } }
    var lines: [String] { requests.map { "\($0.method) \($0.url.absoluteString)" } }

    func send(_ request: LicenseRequest) async throws -> LicenseResponse {
        log.withLock { $0.append(request) }
        return try answer(request)
    }
}

struct LicenseStatusTests {
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)
    private static let device = DeviceIdentity(id: "d/1", name: "My Reader & Co")

    private static func license(_ change: (inout SampleLicense) -> Void = { _ in }) throws -> LicenseDocument {
        var sample = SampleLicense()
        sample.statusHref = "https://lcp.example.org/status"
        change(&sample)
        return try LicenseDocument(data: sample.signed())
    }

    private static func status(
        _ license: LicenseDocument, _ status: String = "active", updated: Date? = nil, id: String? = nil,
        links: [[String: Any]] = []
    ) throws -> Data {
        let date = (updated ?? license.date).formatted(.iso8601)
        let own: [[String: Any]] = [
            ["rel": "license", "href": "https://lcp.example.org/license", "type": LicenseDocument.mediaType]
        ]
        let document: [String: Any] = [
            "id": id ?? license.id, "status": status, "message": "M", "updated": ["license": date, "status": date],
            "links": own + links,
        ]
        return try JSONSerialization.data(withJSONObject: document)
    }

    private static func link(_ rel: String, _ parameters: String, type: String = StatusDocument.mediaType)
        -> [String: Any]
    {
        ["rel": rel, "href": "https://lcp.example.org/\(rel)\(parameters)", "templated": true, "type": type]
    }

    @Test func `a status is asked for once, then with its validators`() async throws {
        let license = try Self.license()
        let body = try Self.status(license)
        let server = ScriptedServer { request in
            request.headers["If-None-Match"] == "\"v1\""
                ? LicenseResponse(status: 304) : LicenseResponse(status: 200, headers: ["etag": "\"v1\""], data: body)
        }
        let client = LicenseStatusClient(connection: server)
        let first = try await client.status(of: license)
        #expect(first.status == .active && first.message == "M")
        #expect(try await client.status(of: license) == first)
        #expect(server.lines == Array(repeating: "GET https://lcp.example.org/status", count: 2))
        #expect(server.requests.allSatisfy { $0.headers["Accept"] == StatusDocument.mediaType && $0.limit == 1 << 20 })
    }

    @Test func `a device registers once, and a refusal keeps nobody from reading`() async throws {
        let license = try Self.license()
        let body = try Self.status(license, "ready", links: [Self.link("register", "{?id,name}")])
        for refuses in [false, true] {
            let server = ScriptedServer { request in
                request.method == "POST" && refuses
                    ? LicenseResponse(status: 400) : LicenseResponse(status: 200, data: body)
            }
            let store = MemoryLicenseStore()
            let client = LicenseStatusClient(connection: server, device: Self.device, store: store)
            for _ in 0..<2 { #expect(try await client.refresh(license).license == license) }
            let registering = "POST https://lcp.example.org/register?id=d%2F1&name=My%20Reader%20%26%20Co"
            #expect(
                server.lines.filter { $0.hasPrefix("POST") } == Array(repeating: registering, count: refuses ? 2 : 1))
            #expect(try await store.isRegistered("d/1", for: license.id) == !refuses)
        }
    }

    @Test func `an identity is made for the first provider that wants one`() async throws {
        let license = try Self.license()
        let made = Mutex(0)
        let link = Self.link("register", "{?id,name}")
        let bodies: [(Data, Bool)] = [
            (try Self.status(license), false), (try Self.status(license, "returned", links: [link]), false),
            (try Self.status(license, links: [link]), true),
        ]
        for (body, wantsIdentity) in bodies {
            let server = ScriptedServer { _ in LicenseResponse(status: 200, data: body) }
            let client = LicenseStatusClient(
                connection: server, store: MemoryLicenseStore(),
                identity: {
                    made.withLock { $0 += 1 }
                    return Self.device
                })
            _ = try await client.refresh(license)
            #expect((made.withLock { $0 } > 0) == wantsIdentity)
        }
    }

    @Test func `a newer licence is fetched, one of another book or of no later date is not taken`() async throws {
        let license = try Self.license()
        let later = license.date.addingTimeInterval(3600)
        let newer = try Self.license { $0.updated = later }
        let cases: [(Data, LicenseDocument)] = [
            (newer.data, newer), (license.data, license), (Data("{}".utf8), license),
            (try Self.license { ($0.id, $0.updated) = ("urn:other", later) }.data, license),
        ]
        let body = try Self.status(license, updated: later)
        for (answer, expected) in cases {
            let server = ScriptedServer { request in
                LicenseResponse(status: 200, data: request.url.path == "/license" ? answer : body)
            }
            #expect(try await LicenseStatusClient(connection: server).refresh(license).license == expected)
            #expect(server.lines.last == "GET https://lcp.example.org/license")
        }
    }

    @Test func `a newer licence that cannot be fetched hides no status`() async throws {
        let license = try Self.license()
        let body = try Self.status(license, "revoked", updated: license.date.addingTimeInterval(60))
        let server = ScriptedServer { request in
            guard request.url.path == "/license" else { return LicenseResponse(status: 200, data: body) }
            throw URLError(.notConnectedToInternet)
        }
        let answer = try await LicenseStatusClient(connection: server).refresh(license)
        #expect(answer.license == license)
        #expect(answer.status.status == .revoked)
    }

    @Test func `a loan is renewed and returned by the provider's links`() async throws {
        let license = try Self.license()
        let later = license.date.addingTimeInterval(86_400)
        let newer = try Self.license { ($0.updated, $0.end) = (later, later) }
        let links = [Self.link("renew", "{?end,id,name}"), Self.link("return", "{?id,name}")]
        let body = try Self.status(license, links: links)
        let renewed = try Self.status(license, updated: later, links: links)
        let returned = try Self.status(license, "returned")
        let server = ScriptedServer { request in
            switch (request.method, request.url.path) {
            case ("PUT", "/renew"): LicenseResponse(status: 200, data: renewed)
            case ("PUT", "/return"): LicenseResponse(status: 200, data: returned)
            case (_, "/license"): LicenseResponse(status: 200, data: newer.data)
            default: LicenseResponse(status: 200, data: body)
            }
        }
        let client = LicenseStatusClient(connection: server, device: Self.device)
        #expect(try await client.renew(license, until: later).license == newer)
        #expect(
            server.lines[1]
                == "PUT https://lcp.example.org/renew?end=2026-01-02T00%3A00%3A00Z&id=d%2F1&name=My%20Reader%20%26%20Co"
        )
        #expect(try await client.returnLicense(license).status == .returned)
        #expect(server.lines.last == "PUT https://lcp.example.org/return?id=d%2F1&name=My%20Reader%20%26%20Co")
    }

    @Test func `refusals are told in the server's words, on one line`() async throws {
        let license = try Self.license()
        let body = try Self.status(license, links: [Self.link("renew", "{?end,id,name}")])
        let words = try JSONSerialization.data(withJSONObject: [
            "type": "http://readium.org/license-status-document/error/renew",
            "title": "Too\u{7}\n late " + String(repeating: "x", count: 5_000),
        ])
        for (answer, says) in [(words, "It says: “Too late xxx"), (Data([0xFF, 0x00]), "HTTP status 403")] {
            let server = ScriptedServer { request in
                request.method == "PUT"
                    ? LicenseResponse(status: 403, data: answer) : LicenseResponse(status: 200, data: body)
            }
            let error = await #expect(throws: LCPProblem.self) {
                _ = try await LicenseStatusClient(connection: server).renew(license)
            }
            #expect(error?.kind == .refusedRenewal)
            #expect(
                error?.sentence.contains(says) == true && (error?.sentence.count ?? 0) < 500, "\(error?.sentence ?? "")"
            )
        }
        let without = ScriptedServer { _ in LicenseResponse(status: 200, data: body) }
        let error = await #expect(throws: LCPProblem.self) {
            _ = try await LicenseStatusClient(connection: without).returnLicense(license)
        }
        #expect(error?.kind == .refusedReturn)
    }

    @Test(
        arguments: [
            ("return", "did not take the book back.", .refusedReturn),
            ("return/already", "was returned before.", .returned),
            ("return/expired", "has ended already", .expired(start)),
            ("renew", "did not extend the loan.", .refusedRenewal),
            ("renew/date", "to that date.", .refusedRenewal),
            ("server", "server has a fault.", .statusUnavailable),
            ("unheard-of", "did not take the book back.", .refusedReturn),
        ] as [(String, String, LCPProblem.Kind)])
    func `each type of refusal has its own sentence`(_ type: String, says: String, kind: LCPProblem.Kind) async throws {
        let license = try Self.license { $0.end = Self.start }
        let body = try Self.status(license, links: [Self.link("renew", "{?end}"), Self.link("return", "{?id}")])
        let words = try JSONSerialization.data(withJSONObject: [
            "type": "http://readium.org/license-status-document/error/\(type)", "title": "Sorry.",
        ])
        let server = ScriptedServer { request in
            request.method == "PUT"
                ? LicenseResponse(status: 403, data: words) : LicenseResponse(status: 200, data: body)
        }
        let client = LicenseStatusClient(connection: server)
        let error = await #expect(throws: LCPProblem.self) {
            if type.hasPrefix("renew") {
                _ = try await client.renew(license)
            } else {
                try await client.returnLicense(license)
            }
        }
        #expect(error?.kind == kind)
        #expect(error?.sentence.contains(says) == true, "\(error?.sentence ?? "")")
        #expect(error?.sentence.hasSuffix("It says: “Sorry.”") == true)
    }

    @Test func `a device that is refused is told in the specification's words`() async throws {
        let license = try Self.license()
        let status = try StatusDocument(data: Self.status(license, links: [Self.link("register", "{?id,name}")]))
        let words = Data(#"{"type": "http://readium.org/license-status-document/error/registration"}"#.utf8)
        let server = ScriptedServer { _ in LicenseResponse(status: 400, data: words) }
        let client = LicenseStatusClient(connection: server, device: Self.device)
        let error = await #expect(throws: LCPProblem.self) { _ = try await client.register(status, of: license) }
        #expect(error?.kind == .refusedRegistration)
        #expect(error?.sentence == "The provider did not register this device. (HTTP status 400)")
    }

    @Test func `a page for people is named and not asked`() async throws {
        let license = try Self.license()
        let body = try Self.status(license, links: [Self.link("renew", "?x=1", type: "text/html; charset=utf-8")])
        let server = ScriptedServer { _ in LicenseResponse(status: 200, data: body) }
        let error = await #expect(throws: LCPProblem.self) {
            _ = try await LicenseStatusClient(connection: server).renew(license)
        }
        let page = try #require(URL(string: "https://lcp.example.org/renew?x=1"))
        #expect(error?.kind == .needsBrowser(page) && server.requests.count == 1)
    }

    @Test func `after failures a server is left alone, longer each time`() async throws {
        let license = try Self.license()
        let now = Mutex(Self.start)
        let server = ScriptedServer { _ in LicenseResponse(status: 503, headers: ["Retry-After": "100"]) }
        let client = LicenseStatusClient(connection: server) { now.withLock { $0 } }
        func ask() async -> LCPProblem.Kind? {
            do {
                _ = try await client.status(of: license)
                return nil
            } catch { return (error as? LCPProblem)?.kind }
        }
        #expect(await ask() == .statusUnavailable && server.requests.count == 1)
        now.withLock { $0 += 99 }
        #expect(await ask() == .statusUnavailable && server.requests.count == 1)
        now.withLock { $0 += 2 }
        #expect(await ask() == .statusUnavailable && server.requests.count == 2)
        // 5 seconds, doubled ten times, and never much more than an hour.
        for _ in 0..<10 {
            now.withLock { $0 += 5_000 }
            _ = await ask()
        }
        #expect(server.requests.count == 12)
        now.withLock { $0 += 2_800 }
        #expect(await ask() == .statusUnavailable && server.requests.count == 12)
    }

    @Test(
        arguments: [
            ("Fri, 15 Jan 2027 08:01:40 GMT", nil, 100), ("Friday, 15-Jan-27 08:01:40 GMT", nil, 100),
            ("Fri Jan 15 08:01:40 2027", nil, 100), ("Fri Jan  1 08:01:40 2027", nil, 0),
            // By the server's clock, which is 50 seconds ahead.
            ("Fri, 15 Jan 2027 08:01:40 GMT", "Fri, 15 Jan 2027 08:00:50 GMT", 50),
            ("Sat, 15 Jan 2028 08:00:00 GMT", nil, 86_400), ("Fri, 15 Jan 2027 08:01:40 CET", nil, 0),
            ("Fri, 32 Jan 2027 08:01:40 GMT", nil, 0), ("Fri, 15 Jab 2027 08:01:40 GMT", nil, 0),
            ("Fri, 15 Jan 2027 08:01 GMT", nil, 0), ("Fri, 15 Jan 2027 25:01:40 GMT", nil, 0), ("soon", nil, 0),
            ("Fri, 15 Jan 9223372036854775807 08:01:40 GMT", nil, 0), ("", nil, 0),
        ] as [(String, String?, TimeInterval)])
    func `a server is left alone until the time that it names`(_ time: String, date: String?, seconds: TimeInterval)
        async throws
    {
        let license = try Self.license()
        let now = Mutex(Self.start)
        let server = ScriptedServer { _ in
            var response = LicenseResponse(status: 503, headers: ["Retry-After": time])
            response.headers["Date"] = date
            return response
        }
        let client = LicenseStatusClient(connection: server) { now.withLock { $0 } }
        func requests(after pause: TimeInterval) async -> Int {
            now.withLock { $0 = Self.start + pause }
            _ = try? await client.status(of: license)
            return server.requests.count
        }
        #expect(await requests(after: 0) == 1)
        // Without a time, the first pause is 4 to 6 seconds.
        #expect(await requests(after: max(3.9, seconds - 0.1)) == 1)
        #expect(await requests(after: max(6.1, seconds + 0.1)) == 2)
    }

    @Test func `hostile answers are faults of the status, and nothing else`() async throws {
        let license = try Self.license()
        let good = try Self.status(license)
        let answers = [
            Data(), Data("[]".utf8), good.dropLast(), try Self.status(license, id: "urn:other"),
            try Self.status(license, "odd"), Data(repeating: 0x5B, count: 100_000),
        ]
        for answer in answers {
            let server = ScriptedServer { _ in LicenseResponse(status: 200, data: Data(answer)) }
            let error = await #expect(throws: LCPProblem.self) {
                _ = try await LicenseStatusClient(connection: server).status(of: license)
            }
            #expect(error?.kind == .invalidStatus)
        }
        // Only the web is asked.
        let odd = try Self.license { $0.statusHref = "file:///etc/passwd" }
        let server = ScriptedServer { _ in LicenseResponse(status: 200, data: good) }
        await #expect(throws: LCPProblem.self) { _ = try await LicenseStatusClient(connection: server).status(of: odd) }
        #expect(server.requests.isEmpty)
    }
}
