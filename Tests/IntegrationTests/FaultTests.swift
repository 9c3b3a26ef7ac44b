import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import Testing
import WebDAVFileProvider

/// What real servers do not do on demand: each ends in one sentence, the right error, and nothing half-written.
@Suite struct FaultTests {
    private let body = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })

    private func options(retries: Int = 0, idle: Double = 10) -> ConnectionOptions {
        ConnectionOptions(
            timeouts: Timeouts(connect: 10, idle: idle), retries: RetryPolicy(retries: retries, firstPause: 0.01))
    }

    private func web(_ server: FaultServer, _ options: ConnectionOptions) throws -> WebFileProvider {
        try WebFileProvider(configuration: HTTPConfiguration(baseURL: server.url()), options: options)
    }

    private func dav(_ server: FaultServer, _ options: ConnectionOptions) throws -> WebDAVFileProvider {
        try WebDAVFileProvider(configuration: WebDAVConfiguration(baseURL: server.url("dav")), options: options)
    }

    private func ranged(_ request: FaultServer.Request) -> FaultServer.Answer {
        guard
            let range = request.headers["range"]?.dropFirst("bytes=".count).split(
                separator: "-", omittingEmptySubsequences: false)
        else {
            return .reply(200, headers: ["ETag": "\"1\""], body: body)
        }
        let start = Int(range[0]) ?? body.count - (Int(range[1]) ?? 0)
        let end = range[0].isEmpty ? body.count - 1 : min(body.count - 1, Int(range[1]) ?? .max)
        return .reply(
            206, headers: ["ETag": "\"1\"", "Content-Range": "bytes \(start)-\(end)/\(body.count)"],
            body: Data(body[start...end]))
    }

    @Test func `a body that ends early is an error, and no file appears`() async throws {
        let server = try FaultServer { _ in .truncated(200, promised: 100_000, body: Data(count: 1000)) }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let error = await #expect(throws: URLError.self) {
            try await web(server, options()).copyItem(
                path: ProviderPath("f"), toLocalURL: folder.url.appending(path: "f"))
        }
        #expect(error?.code == .networkConnectionLost)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test func `an item that a multi-status names is told by its path in the provider`() async throws {
        let server = try FaultServer { request in
            if request.method == "PROPFIND" {
                return .reply(207, body: Data(Self.listing(of: request.target, size: 1).utf8))
            }
            let answer = #"""
                <D:multistatus xmlns:D="DAV:"><D:response><D:href>/dav/folder/locked</D:href>
                <D:status>HTTP/1.1 423 Locked</D:status></D:response></D:multistatus>
                """#
            return .reply(207, body: Data(answer.utf8))
        }
        defer { server.stop() }
        let root = WebDAVConfiguration(baseURL: server.url("dav").appending(path: "dav"))
        let provider = try WebDAVFileProvider(configuration: root, options: options())
        let error = await #expect(throws: HTTPStatusError.self) {
            try await provider.removeItem(path: ProviderPath("folder"))
        }
        #expect(error?.path == "/folder/locked")
        #expect(error?.code.rawValue == 423)
    }

    @Test func `invalidate closes the connections, and what comes after makes new ones`() async throws {
        let server = try FaultServer { ranged($0) }
        defer { server.stop() }
        let options = options()
        let provider = try web(server, options)
        for _ in 0..<3 { _ = try await provider.contents(path: ProviderPath("f")) }
        #expect(options.counters[.connections] == 1)
        provider.invalidate()
        #expect(try await provider.contents(path: ProviderPath("f")) == body)
        #expect(options.counters[.connections] == 2)
    }

    @Test func `a reader that was closed reads no more`() async throws {
        let server = try FaultServer { ranged($0) }
        defer { server.stop() }
        let reader = try await web(server, options()).open(path: ProviderPath("f"))
        #expect(try await reader.read(.range(0..<10)).data == body.prefix(10))
        await reader.close()
        let error = await #expect(throws: CocoaError.self) { try await reader.read(.range(0..<10)) }
        #expect(error?.underlying as? POSIXError == POSIXError(.EBADF))
    }

    @Test func `a download goes on where a lost connection left it`() async throws {
        let calls = LockedValue(0)
        let body = body
        let server = try FaultServer { request in
            let call = calls.update { count in
                count += 1
                return count
            }
            if call == 1 {
                return .truncated(200, headers: ["ETag": "\"1\""], promised: body.count, body: body.prefix(50_000))
            }
            return ranged(request)
        }
        defer { server.stop() }
        let options = options(retries: 2)
        #expect(try await web(server, options).contents(path: ProviderPath("f")) == body)
        #expect(server.requests.last?.headers["range"] == "bytes=50000-199999")
        #expect(options.counters[.retries] == 1)
    }

    @Test func `a file that changes between two parts is an error, not a mixture`() async throws {
        let calls = LockedValue(0)
        let server = try FaultServer { request in
            let call = calls.update { count in
                count += 1
                return count
            }
            guard case .reply(let status, var headers, let part) = ranged(request) else { return .silence }
            headers["ETag"] = "\"\(call)\""
            return .reply(status, headers: headers, body: part)
        }
        defer { server.stop() }
        let reader = try await web(server, options()).open(path: ProviderPath("f"))
        _ = try await reader.read(0..<10)
        let error = await #expect(throws: CocoaError.self) { _ = try await reader.read(10..<20) }
        #expect(error?.underlying as? POSIXError == POSIXError(.ESTALE))
    }

    @Test func `a server that ignores ranges is read from the start, as far as that is bearable`() async throws {
        let body = body
        let server = try FaultServer { _ in .reply(200, body: body) }
        defer { server.stop() }
        let provider = try web(server, options())
        #expect(try await provider.contents(path: ProviderPath("f"), part: .range(1000..<2000)) == body[1000..<2000])
        #expect(try await provider.contents(path: ProviderPath("f"), part: .suffix(7)) == body.suffix(7))
        let large = try FaultServer { _ in .truncated(200, promised: 1 << 40, body: Data(count: 1000)) }
        defer { large.stop() }
        let error = await #expect(throws: URLError.self) {
            _ = try await web(large, options()).contents(path: ProviderPath("f"), part: .suffix(100))
        }
        #expect(error?.localizedDescription.contains("ignores ranges") == true)
    }

    @Test func `a part other than the one that was asked for is refused`() async throws {
        let server = try FaultServer { _ in
            .reply(206, headers: ["Content-Range": "bytes 5-14/100"], body: Data(count: 10))
        }
        defer { server.stop() }
        let error = await #expect(throws: URLError.self) {
            _ = try await web(server, options()).contents(path: ProviderPath("f"), part: .range(0..<10))
        }
        #expect(error?.code == .badServerResponse)
    }

    @Test(arguments: [
        (403, CocoaError.Code.fileReadNoPermission), (404, .fileReadNoSuchFile), (410, .fileReadNoSuchFile),
        (507, .fileWriteOutOfSpace),
    ])
    func `a status becomes Foundation's error with the server's answer below it`(_ status: Int, _ code: CocoaError.Code)
        async throws
    {
        let server = try FaultServer { _ in
            .reply(status, headers: ["Content-Type": "text/plain"], body: Data("Because.\nSecret".utf8))
        }
        defer { server.stop() }
        let error = await #expect(throws: CocoaError.self) {
            _ = try await web(server, options()).contents(path: ProviderPath("a b"))
        }
        #expect(error?.code == code)
        let answer = error?.underlying as? any FileProviderHTTPError
        #expect(answer?.code.rawValue == status)
        #expect(answer?.serverDescription == "Because.")
        #expect(answer?.path == "/a b")
    }

    @Test func `a full server leaves nothing behind`() async throws {
        let server = try FaultServer { request in
            switch request.method {
            case "PROPFIND": .reply(404)
            case "PUT": .reply(507)
            default: .reply(204)
            }
        }
        defer { server.stop() }
        let provider = try dav(server, options())
        let error = await #expect(throws: CocoaError.self) {
            try await provider.writeContents(path: ProviderPath("f"), contents: Data(count: 10))
        }
        #expect(error?.code == .fileWriteOutOfSpace)
        let put = try #require(server.requests.first { $0.method == "PUT" })
        #expect(server.requests.contains { $0.method == "DELETE" && $0.target == put.target })
    }

    @Test func `a server that keeps less than it was sent replaces nothing`() async throws {
        let server = try FaultServer { request in
            guard request.method == "PROPFIND" else { return .reply(201) }
            return request.target == "/f"
                ? .reply(404) : .reply(207, body: Data(Self.listing(of: request.target, size: 3).utf8))
        }
        defer { server.stop() }
        for size in [10, 2 << 20] {
            await #expect(throws: CocoaError.self) {
                try await dav(server, options()).writeContents(path: ProviderPath("f"), contents: Data(count: size))
            }
        }
        #expect(!server.requests.contains { $0.method == "MOVE" })
    }

    @Test(arguments: [FaultServer.Answer.silence, .stalled(200, promised: 100_000, body: Data(count: 1000))])
    func `a server that says nothing, or nothing more, is given up after the idle time`(_ answer: FaultServer.Answer)
        async throws
    {
        let server = try FaultServer { _ in answer }
        defer { server.stop() }
        let error = await #expect(throws: URLError.self) {
            _ = try await web(server, options(idle: 1)).contents(path: ProviderPath("f"))
        }
        #expect(error?.code == .timedOut)
    }

    @Test func `cancelling does not wait for a server that has stopped`() async throws {
        let server = try FaultServer { _ in .stalled(200, promised: 100_000, body: Data(count: 1000)) }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let ending = Ending()
        let provider = try web(server, options(idle: 60))
        let progress = try #require(
            provider.copyItem(path: "f", toLocalURL: folder.url.appending(path: "f")) { ending.record($0) })
        try await eventually { progress.completedUnitCount >= 1000 }
        #expect(progress.totalUnitCount == 100_000)
        let start = ContinuousClock.now
        progress.cancel()
        try await eventually { ending.count > 0 }
        #expect(ContinuousClock.now - start < .seconds(40))
        #expect((ending.error as? CocoaError)?.code == .userCancelled)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test func `a server that sends less than it was asked for is asked again`() async throws {
        let body = body
        let server = try FaultServer { request in
            guard let range = request.headers["range"]?.dropFirst("bytes=".count).split(separator: "-"),
                let start = Int(range[0])
            else {
                return .reply(400)
            }
            let end = min(start + 999, body.count - 1)
            return .reply(
                206, headers: ["Content-Range": "bytes \(start)-\(end)/\(body.count)"], body: Data(body[start...end]))
        }
        defer { server.stop() }
        #expect(
            try await web(server, options()).contents(path: ProviderPath("f"), part: .range(10..<5_000))
                == body[10..<5_000])
    }

    @Test func `a page without a length is read in parts all the same`() async throws {
        let server = try FaultServer { _ in .raw(Data("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n0123456789".utf8)) }
        defer { server.stop() }
        let reader = try await web(server, options()).open(path: ProviderPath("f"))
        #expect(try await reader.read(3..<6) == Data("345".utf8))
        #expect(try await reader.attributes().size == 10)
        #expect(try await reader.read(.whole).data == Data("0123456789".utf8))
        #expect(try await reader.read(8..<100) == Data("89".utf8))
    }

    @Test(arguments: [
        "bytes 0-0/-3", "bytes 0-9223372036854775807/5", "bytes 5-0/10", "nonsense", "bytes */*", "bytes -1-3/10",
    ])
    func `a range that makes no sense is refused`(_ range: String) async throws {
        let server = try FaultServer { _ in .reply(206, headers: ["Content-Range": range], body: Data(count: 1)) }
        defer { server.stop() }
        await #expect(throws: URLError.self) {
            _ = try await web(server, options()).contents(path: ProviderPath("f"), part: .range(0..<1))
        }
    }

    @Test func `dates and sizes beyond all measure are no dates and sizes`() async throws {
        let huge = "999999999999999999"
        let server = try FaultServer { request in
            let answer = """
                <d:multistatus xmlns:d="DAV:"><d:response><d:href>\(request.target)</d:href><d:propstat><d:prop><d:resourcetype>\
                <d:collection/></d:resourcetype><d:getlastmodified>Sun, 06 Nov \(huge) \(huge):00:00 GMT</d:getlastmodified>\
                <d:getcontentlength>-5</d:getcontentlength><d:quota-available-bytes>9223372036854775807</d:quota-available-bytes>\
                <d:quota-used-bytes>10</d:quota-used-bytes></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>\
                </d:multistatus>
                """
            return .reply(207, body: Data(answer.utf8))
        }
        defer { server.stop() }
        let provider = try dav(server, options())
        let item = try await provider.attributesOfItem(path: .root)
        #expect(item.modifiedDate == nil && item.size == nil)
        #expect(try await provider.storageProperties()?.totalCapacity == nil)
    }

    @Test func `a move whose answer was lost has happened or has not`() async throws {
        let isMoved = LockedValue(false)
        let server = try FaultServer { request in
            let isTarget = request.target == "/f"
            switch request.method {
            case "MOVE":
                isMoved.update { $0 = true }
                return .raw(Data())
            case "PROPFIND" where isTarget != isMoved.value: return .reply(404)
            case "PROPFIND": return .reply(207, body: Data(Self.listing(of: request.target, size: 4).utf8))
            default: return .reply(201)
            }
        }
        defer { server.stop() }
        let written = try await dav(server, options()).writeContents(
            path: ProviderPath("f"), contents: Data("here".utf8))
        #expect(written.size == 4)
    }

    @Test func `progress may look at its reporter and cancel what reports`() async throws {
        let server = try FaultServer { request in request.method == "PROPFIND" ? .reply(404) : .reply(201) }
        defer { server.stop() }
        let provider = try dav(server, options())
        let task = LockedValue<Task<Void, any Error>?>(nil)
        let reporter = ProgressReporter { completed, _ in if completed > 0 { task.value?.cancel() } }
        let stream = AsyncStream<Data> {
            try? await Task.sleep(for: .milliseconds(1))
            return Data(count: 100_000)
        }
        let writing = Task {
            _ = try await provider.writeContents(
                path: ProviderPath("f"), from: SequenceSource(stream), options: WriteOptions(), progress: reporter)
        }
        task.update { $0 = writing }
        await #expect(throws: CancellationError.self) { try await writing.value }
    }

    @Test func `many readers that stand still leave room for one that does not`() async throws {
        let server = try FaultServer { request in
            request.target == "/small"
                ? .reply(200, body: Data("s".utf8)) : .stalled(200, promised: 1 << 30, body: Data(count: 8 << 20))
        }
        defer { server.stop() }
        let provider = try web(server, options(idle: 60))
        let sinks = (0..<12).map { _ in BytePipe(capacity: 1) }
        let readers = sinks.map { sink in
            Task { _ = try await provider.open(path: ProviderPath("large")).stream(.whole, into: sink) }
        }
        for sink in sinks { while try await sink.next() == nil {} }
        #expect(try await provider.contents(path: ProviderPath("small")) == Data("s".utf8))
        for reader in readers { reader.cancel() }
    }

    @Test func `a source that is slower than the idle time is waited for`() async throws {
        let server = try FaultServer { request in
            request.method == "PROPFIND"
                ? .reply(207, body: Data(Self.listing(of: request.target, size: 2).utf8)) : .reply(201)
        }
        defer { server.stop() }
        let (pieces, input) = AsyncStream.makeStream(of: Data.self)
        input.yield(Data("a".utf8))
        let provider = try dav(server, options(idle: 1))
        async let written = provider.writeContents(
            path: ProviderPath("f"), from: SequenceSource(pieces), options: WriteOptions(overwrite: true))
        // The pause is what is tested: longer than the idle time and libcurl's second of grace.
        try await Task.sleep(for: .seconds(3))
        input.yield(Data("b".utf8))
        input.finish()
        #expect(try await written.size == 2)
        #expect(server.requests.first { $0.method == "PUT" }?.body == Data("ab".utf8))
    }

    @Test func `what is not HTTP is called that`() async throws {
        let server = try FaultServer { _ in .raw(Data("SSH-2.0-OpenSSH_9.2\r\n".utf8)) }
        defer { server.stop() }
        let error = await #expect(throws: URLError.self) {
            _ = try await web(server, options()).contents(path: ProviderPath("f"))
        }
        #expect(error?.isTransient == false || error?.code == .networkConnectionLost)
    }

    @Test func `a port where nobody listens and a host that is not there are told apart`() async throws {
        let server = try FaultServer { _ in .silence }
        server.stop()
        let refused = await #expect(throws: URLError.self) {
            _ = try await web(server, options()).contents(path: ProviderPath("f"))
        }
        #expect(refused?.code == .cannotConnectToHost)
        let url = try #require(URL(string: "http://no-such-host.invalid/"))
        let nowhere = try WebFileProvider(configuration: HTTPConfiguration(baseURL: url), options: options())
        let unknown = await #expect(throws: URLError.self) { _ = try await nowhere.contents(path: ProviderPath("f")) }
        #expect(unknown?.code == .cannotFindHost)
    }

    @Test func `a redirect to another host gets no password and no upload`() async throws {
        let elsewhere = try FaultServer { _ in .reply(200, body: Data("there".utf8)) }
        defer { elsewhere.stop() }
        let target = elsewhere.url().absoluteString
        let server = try FaultServer { request in
            request.headers["authorization"] == nil && request.method == "GET"
                ? .reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
                : .reply(302, headers: ["Location": target + "x"])
        }
        defer { server.stop() }
        var options = options()
        options.credentials = FixedCredential(.password(user: "u", password: "p"))
        #expect(try await web(server, options).contents(path: ProviderPath("f")) == Data("there".utf8))
        #expect(elsewhere.requests.allSatisfy { $0.headers["authorization"] == nil })
        let error = await #expect(throws: URLError.self) {
            try await dav(server, options).writeContents(path: ProviderPath("f"), contents: Data("x".utf8))
        }
        #expect(error?.code == .redirectToNonExistentLocation)
        #expect(!elsewhere.requests.contains { $0.method == "PUT" })
    }

    @Test func `an upload is sent again after a redirect on the same server`() async throws {
        let server = try FaultServer { request in
            if request.method == "PUT", !request.target.hasSuffix("?again") {
                return .reply(307, headers: ["Location": request.target + "?again"])
            }
            guard request.method == "PROPFIND" else { return .reply(201) }
            return .reply(207, body: Data(Self.listing(of: request.target, size: 5).utf8))
        }
        defer { server.stop() }
        try await dav(server, options()).writeContents(path: ProviderPath("f"), contents: Data("again".utf8))
        #expect(server.requests.filter { $0.method == "PUT" }.map(\.body) == [Data("again".utf8), Data("again".utf8)])
    }

    @Test func `a busy server is asked again when it said to come back`() async throws {
        let calls = LockedValue(0)
        let body = body
        let server = try FaultServer { _ in
            let call = calls.update { count in
                count += 1
                return count
            }
            return call < 3 ? .reply(503, headers: ["Retry-After": "0"]) : .reply(200, body: body)
        }
        defer { server.stop() }
        #expect(try await web(server, options(retries: 3)).contents(path: ProviderPath("f")) == body)
        #expect(server.requests.count == 3)
    }

    @Test func `a listing with an entity or half a document is damaged, not a list`() async throws {
        for answer in [
            #"<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><d:multistatus xmlns:d="DAV:">&x;</d:multistatus>"#,
            #"<d:multistatus xmlns:d="DAV:"><d:response>"#, "", "<html></html>",
        ] {
            let server = try FaultServer { _ in .reply(207, body: Data(answer.utf8)) }
            defer { server.stop() }
            let error = await #expect(throws: CocoaError.self) {
                _ = try await dav(server, options()).contentsOfDirectory(path: .root)
            }
            #expect(error?.code == .fileReadCorruptFile)
        }
    }

    @Test func `names in a listing cannot lead out of the folder`() async throws {
        let hrefs = ["/", "/ok", "/..%2f..%2fetc", "/%2e%2e/x", "/a/b", "http://elsewhere/ok2", "/nul%00"]
        let answer = hrefs.map {
            "<d:response><d:href>\($0)</d:href><d:propstat><d:prop><d:resourcetype>\($0 == "/" ? "<d:collection/>" : "")</d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
        }
        let server = try FaultServer { _ in
            .reply(207, body: Data("<d:multistatus xmlns:d=\"DAV:\">\(answer.joined())</d:multistatus>".utf8))
        }
        defer { server.stop() }
        let names = try await dav(server, options()).contentsOfDirectory(path: .root).map(\.name)
        #expect(Set(names) == ["ok", "ok2"])
    }

    /// A multi-status about one file.
    private static func listing(of href: String, size: Int) -> String {
        """
        <d:multistatus xmlns:d="DAV:"><d:response><d:href>\(href)</d:href><d:propstat><d:prop><d:resourcetype/>\
        <d:getcontentlength>\(size)</d:getcontentlength></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>
        """
    }
}
