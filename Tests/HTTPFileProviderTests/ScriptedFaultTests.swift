import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import Testing

/// What a server does wrong, each ending in the right error or the right bytes.
@Suite struct ScriptedFaultTests {
    private static let body = Data((0..<100).map { UInt8($0) })

    private func provider(_ server: FaultServer, idle: Double = 10, whole: Double? = nil) throws -> WebFileProvider {
        let options = ConnectionOptions(
            timeouts: Timeouts(connect: 10, idle: idle, whole: whole), retries: RetryPolicy(retries: 0))
        return try WebFileProvider(configuration: HTTPConfiguration(baseURL: server.url()), options: options)
    }

    private func connection(_ server: FaultServer) throws -> HTTPConnection {
        let options = ConnectionOptions(
            credentials: FixedCredential(.password(user: "ann", password: "pw")),
            timeouts: Timeouts(connect: 10, idle: 10),
            retries: RetryPolicy(retries: 0))
        return try HTTPConnection(url: server.url(), options: options)
    }

    // MARK: Ranges

    @Test(arguments: [
        "bytes 0-9/5", "items 10-19/100", "bytes 11-20/100", "bytes 9-18/100", "bytes 10-19/*", "bytes 10-19",
        "bytes 19-10/100", "",
        "bytes=10-19/100",
        "bytes 10-19/100, bytes 10-19/100", "bytes 0x0a-0x13/100", "bytes 10-19/99999999999999999999",
    ])
    func `a range that is not the one asked for brings no bytes`(_ range: String) async throws {
        let server = try FaultServer { _ in
            .reply(206, headers: range.isEmpty ? [:] : ["Content-Range": range], body: Self.body[10..<20])
        }
        defer { server.stop() }
        let error = await #expect(throws: URLError.self) {
            _ = try await provider(server).contents(path: ProviderPath("f"), part: .range(10..<20))
        }
        #expect(error?.code == .badServerResponse)
    }

    @Test func `a part with more or fewer bytes than it says is cut or missed`() async throws {
        let more = try FaultServer { _ in
            .reply(206, headers: ["Content-Range": "bytes 10-19/100"], body: Self.body[10..<40])
        }
        defer { more.stop() }
        #expect(try await provider(more).contents(path: ProviderPath("f"), part: .range(10..<20)) == Self.body[10..<20])
        let fewer = try FaultServer { _ in
            .reply(206, headers: ["Content-Range": "bytes 10-19/100"], body: Self.body[10..<15])
        }
        defer { fewer.stop() }
        let error = await #expect(throws: URLError.self) {
            _ = try await provider(fewer).contents(path: ProviderPath("f"), part: .range(10..<20))
        }
        #expect([.networkConnectionLost, .badServerResponse].contains(error?.code))
    }

    @Test func `a part where the whole was asked for is completed by its rest`() async throws {
        let server = try FaultServer { request in
            let start = request.headers["range"]?.firstMatch(of: /bytes=(\d+)-/).flatMap { Int($0.1) } ?? 0
            let end = min(start + 29, 99)
            return .reply(206, headers: ["Content-Range": "bytes \(start)-\(end)/100"], body: Self.body[start...end])
        }
        defer { server.stop() }
        #expect(try await provider(server).contents(path: ProviderPath("f")) == Self.body)
    }

    @Test(arguments: [FilePart.whole, .range(10..<20), .suffix(5)])
    func `what is compressed though it was not to be is no content`(_ part: FilePart) async throws {
        let server = try FaultServer { request in
            .reply(200, headers: ["Content-Encoding": "gzip"], body: Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]))
        }
        defer { server.stop() }
        let error = await #expect(throws: URLError.self) {
            _ = try await provider(server).contents(path: ProviderPath("f"), part: part)
        }
        #expect(error?.code == .badServerResponse)
        #expect(error?.sentence.contains("compressed") == true)
        #expect(server.requests.allSatisfy { $0.headers["accept-encoding"] == "identity" })
    }

    // MARK: Connections that end

    @Test(arguments: [
        "", "HTT", "HTTP/1.1", "HTTP/1.1 200 O", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
        "HTTP/1.1 404 Not Found\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-",
    ])
    func `an answer that breaks off is a lost connection, never a short file`(_ answer: String) async throws {
        let server = try FaultServer { _ in .raw(Data(answer.utf8)) }
        defer { server.stop() }
        let error = await #expect(throws: URLError.self) {
            _ = try await provider(server).contents(path: ProviderPath("f"))
        }
        #expect([.networkConnectionLost, .badServerResponse].contains(error?.code))
        let put = HTTPRequest("PUT", path: try ProviderPath("f"), body: .source(DataSource(Self.body)), isWriting: true)
        if !answer.contains("\r\n\r\n") {
            await #expect(throws: URLError.self) { _ = try await connection(server).send(put) }
        }
    }

    // MARK: Time

    @Test func `a byte now and then is enough, up to the time for the whole`() async throws {
        let server = try FaultServer { _ in .drip(200, body: Data("slowly".utf8), pause: 0.3) }
        defer { server.stop() }
        #expect(try await provider(server, idle: 1.5).contents(path: ProviderPath("f")) == Data("slowly".utf8))
        let error = await #expect(throws: URLError.self) {
            _ = try await provider(server, idle: 1, whole: 0.8).contents(path: ProviderPath("f"))
        }
        #expect(error?.code == .timedOut)
    }

    // MARK: Uploads

    @Test(arguments: [true, false])
    func `an upload that is refused half way for want of a login is sent again, or said to be impossible`(
        isRepeatable: Bool
    ) async throws {
        let login = "Basic " + Data("ann:pw".utf8).base64EncodedString()
        let server = try FaultServer(early: { request in
            request.method == "PUT" && request.headers["authorization"] != login
                ? .reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""]) : nil
        }) { _ in .reply(201) }
        defer { server.stop() }
        let body = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0) })
        let source: any WriteSource = isRepeatable ? DataSource(body) : ScriptedSource(body, isRepeatable: false)
        let connection = try connection(server)
        let put = HTTPRequest("PUT", path: try ProviderPath("f"), body: .source(source), isWriting: true)
        if isRepeatable {
            #expect(try await connection.send(put).status == 201)
            #expect(server.requests.last?.body == body)
        } else {
            let error = await #expect(throws: CocoaError.self) { _ = try await connection.send(put) }
            #expect(error?.sentence == FileError.notRepeatable().sentence)
        }
    }

    @Test func `a login that worked and is refused in an upload is an error, and works again`() async throws {
        let isClosed = LockedValue(false)
        let refusal = FaultServer.Answer.reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
        let server = try FaultServer(early: { _ in isClosed.value ? refusal : nil }) {
            $0.headers["authorization"] == nil ? refusal : .reply(201)
        }
        defer { server.stop() }
        let connection = try connection(server)
        let body = Data(count: 500_000)
        let put = HTTPRequest("PUT", path: try ProviderPath("f"), body: .source(DataSource(body)), isWriting: true)
        #expect(try await connection.send(put).status == 201)
        isClosed.update { $0 = true }
        let error = await #expect(throws: URLError.self) { _ = try await connection.send(put) }
        #expect(error?.code == .userAuthenticationRequired)
        isClosed.update { $0 = false }
        #expect(try await connection.send(put).status == 201)
    }

    @Test func `no leave to go on is asked for, and what comes unasked is no answer`() async throws {
        let created = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
        let interim = "HTTP/1.1 100 Continue\r\nETag: \"no\"\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
        let server = try FaultServer { _ in .bytes(Data((interim + created).utf8)) }
        defer { server.stop() }
        let put = HTTPRequest(
            "PUT", path: try ProviderPath("f"), body: .source(DataSource(Data(count: 2_000_000))), isWriting: true)
        let head = try await connection(server).send(put)
        #expect(head.status == 201 && head["ETag"] == nil)
        #expect(server.requests.allSatisfy { $0.headers["expect"] == nil })
    }

    @Test func `a server that refuses to be expected anything of is told of as it is`() async throws {
        let server = try FaultServer(early: { $0.method == "PUT" ? .reply(417) : nil }) { _ in .reply(200) }
        defer { server.stop() }
        let put = HTTPRequest(
            "PUT", path: try ProviderPath("f"), body: .source(DataSource(Data(count: 2_000_000))), isWriting: true)
        let error = await #expect(throws: HTTPStatusError.self) { _ = try await connection(server).send(put) }
        #expect(error?.code.rawValue == 417)
    }
}
