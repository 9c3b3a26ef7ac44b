import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import Testing

/// Answers kept in a folder: what is asked for, what is sent, and what is never used again.
@Suite struct ResponseCacheTests {
    private let temporary: TemporaryFolder
    private var folder: URL { temporary.url }
    private let old = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 / 3) })

    init() throws { temporary = try TemporaryFolder() }

    private func options(_ change: (inout CachePolicy) -> Void = { _ in }) -> ConnectionOptions {
        var policy = CachePolicy(folder: folder.path)
        change(&policy)
        return ConnectionOptions(
            timeouts: Timeouts(connect: 20, idle: 20), retries: RetryPolicy(retries: 0), cache: policy)
    }

    /// A server with one text under every name, which knows conditions and ranges.
    private func server(_ content: LockedValue<Data>, headers: [String: String] = [:]) throws -> FaultServer {
        try FaultServer { request in
            let body = content.value
            let tag = "\"\(body.count)-\(body.first ?? 0)\""
            let headers = headers.merging(["ETag": tag]) { $1 }
            if request.headers["if-none-match"] == tag { return .reply(304, headers: headers) }
            guard let range = request.headers["range"]?.dropFirst("bytes=".count).split(separator: "-"),
                range.count == 2,
                let start = Int(range[0]), let end = Int(range[1])
            else { return .reply(200, headers: headers, body: body) }
            let part = Data(body[start...min(end, body.count - 1)])
            let reported = ["Content-Range": "bytes \(start)-\(start + part.count - 1)/\(body.count)"]
            return .reply(206, headers: headers.merging(reported) { $1 }, body: part)
        }
    }

    private func web(_ server: FaultServer, _ options: ConnectionOptions) throws -> WebFileProvider {
        try WebFileProvider(configuration: HTTPConfiguration(baseURL: server.url()), options: options)
    }

    private func kept() -> [String] {
        FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }.filter {
            $0.contains("answer-")
        } ?? []
    }

    @Test func `a file that has not changed is not sent again, whole or in part, not even to another process`()
        async throws
    {
        let server = try server(LockedValue(old))
        defer { server.stop() }
        let path = try ProviderPath("folder/file")
        #expect(try await web(server, options()).contents(path: path) == old)
        let before = server.traffic.sent
        // A provider of its own knows no more than another process would.
        let provider = try web(server, options())
        #expect(try await provider.contents(path: path) == old)
        #expect(try await provider.contents(path: path, part: .range(100..<300)) == old[100..<300])
        #expect(try await provider.contents(path: path, part: .suffix(10)) == old.suffix(10))
        #expect(server.requests.count == 4)
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["if-none-match"] != nil })
        #expect(server.traffic.sent - before < 1000)
    }

    @Test func `a file that has changed comes anew, and is what is kept then`() async throws {
        let content = LockedValue(old)
        let server = try server(content)
        defer { server.stop() }
        let path = try ProviderPath("file")
        let provider = try web(server, options())
        #expect(try await provider.contents(path: path) == old)
        let new = Data("other".utf8)
        content.update { $0 = new }
        #expect(try await provider.contents(path: path) == new)
        let before = server.traffic.sent
        #expect(try await provider.contents(path: path) == new)
        #expect(server.traffic.sent - before < 300)
    }

    @Test func `a reader that has begun stays with its version, whatever the folder has`() async throws {
        let content = LockedValue(old)
        let server = try server(content)
        defer { server.stop() }
        let path = try ProviderPath("file")
        let provider = try web(
            server,
            options {
                $0.lifetime = 100; $0.validates = false; $0.largestFile = 10_000
            })
        try await provider.withReader(path: path) { reader in
            _ = try await reader.read(.range(0..<10))
            content.update { $0 = Data("other".utf8) }
            // Another reader has the new version kept.
            #expect(try await provider.contents(path: path) == Data("other".utf8))
            await #expect(throws: CocoaError.self) { _ = try await reader.read(.range(0..<5)) }
        }
    }

    @Test func `without validation nothing is asked while the lifetime lasts`() async throws {
        let server = try server(LockedValue(old))
        defer { server.stop() }
        let path = try ProviderPath("file")
        let provider = try web(
            server,
            options {
                $0.validates = false; $0.lifetime = 1000
            })
        for _ in 0..<3 { #expect(try await provider.contents(path: path) == old) }
        #expect(server.requests.count == 1)
        let strict = try web(server, options())
        #expect(try await strict.contents(path: path) == old)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [["Cache-Control": "private, no-store"], ["Vary": "*"]])
    func `what must not be kept is not`(_ headers: [String: String]) async throws {
        let server = try server(LockedValue(old), headers: headers)
        defer { server.stop() }
        let provider = try web(server, options())
        for _ in 0..<2 { #expect(try await provider.contents(path: ProviderPath("file")) == old) }
        #expect(kept().count == 0)
        #expect(server.requests.allSatisfy { $0.headers["if-none-match"] == nil })
    }

    @Test func `what is too large is read and not kept`() async throws {
        let server = try server(LockedValue(old))
        defer { server.stop() }
        let provider = try web(server, options { $0.largestFile = 49_999 })
        #expect(try await provider.contents(path: ProviderPath("file")) == old)
        #expect(kept().count == 0)
    }

    @Test func `the folder keeps within its size, and what was used last stays`() async throws {
        let server = try server(LockedValue(old))
        defer { server.stop() }
        let provider = try web(server, options { $0.capacity = 280_000 })
        let first = try ProviderPath("first")
        for number in 0..<12 {
            _ = try await provider.contents(path: first)
            _ = try await provider.contents(path: ProviderPath("file \(number)"))
        }
        #expect((1...5).contains(kept().count))
        let before = server.traffic.sent
        _ = try await provider.contents(path: first)
        #expect(server.traffic.sent - before < 300)
    }

    @Test func `what is damaged in the folder is as if it were not there`() async throws {
        let server = try server(LockedValue(old))
        defer { server.stop() }
        let path = try ProviderPath("file")
        _ = try await web(server, options()).contents(path: path)
        for name in kept() { try Data("{".utf8).write(to: folder.appending(path: name)) }
        #expect(try await web(server, options()).contents(path: path) == old)
    }

    @Test func `what one user was given is not given to another`() async throws {
        let server = try server(LockedValue(old))
        defer { server.stop() }
        for user in ["ann", "ben"] {
            var options = options { ($0.validates, $0.lifetime) = (false, 1000) }
            options.credentials = FixedCredential(.password(user: user, password: "pw"))
            for _ in 0..<2 { #expect(try await web(server, options).contents(path: ProviderPath("file")) == old) }
        }
        #expect(server.requests.count == 2)
    }

    @Test func `answers to other headers and queries are other answers`() async throws {
        let server = try FaultServer { request in
            let tag = "\"same\""
            if request.headers["if-none-match"] == tag { return .reply(304) }
            return .reply(
                200, headers: ["ETag": tag], body: Data("\(request.target) \(request.headers["accept"] ?? "")".utf8))
        }
        defer { server.stop() }
        let connection = try web(server, options()).connection
        let path = try ProviderPath("f")
        var seen: Set<String> = []
        for _ in 0..<2 {
            for (query, accept) in [("a=1", "x"), ("a=2", "x"), ("a=2", "y")] {
                let request = HTTPRequest("GET", path: path, query: query, headers: [("Accept", accept)])
                seen.insert(String(decoding: try await connection.data(for: request).0, as: UTF8.self))
            }
        }
        #expect(seen == ["/f?a=1 x", "/f?a=2 x", "/f?a=2 y"])
        let ranged = HTTPRequest("GET", path: path, headers: [("Range", "bytes=0-1")])
        for _ in 0..<2 { _ = try await connection.data(for: ranged) }
        #expect(server.requests.suffix(2).allSatisfy { $0.headers["if-none-match"] == nil })
    }

    @Test func `an answer that was kept has the headers that it came with`() async throws {
        let server = try FaultServer { request in
            request.headers["if-none-match"] == nil
                ? .reply(
                    200, headers: ["ETag": "\"1\"", "Link": "<?page=2>; rel=next", "Set-Cookie": "secret=1"],
                    body: Data("x".utf8))
                : .reply(304)
        }
        defer { server.stop() }
        for _ in 0..<2 {
            let (data, head) = try await web(server, options()).connection.data(
                for: HTTPRequest("GET", path: ProviderPath("f")))
            #expect(data == Data("x".utf8))
            #expect(head["Link"] == "<?page=2>; rel=next")
        }
        #expect(!kept().isEmpty)
        for name in kept() {
            #expect(
                try !String(decoding: Data(contentsOf: folder.appending(path: name)), as: UTF8.self).contains("secret"))
        }
    }

    @Test func `a time alone is taken for a version only when it is some time ago`() async throws {
        let now = "Sat, 21 Nov 2026 10:00:00 GMT"
        for (modified, isKept) in [("Sat, 21 Nov 2026 09:59:30 GMT", false), ("Sat, 21 Nov 2026 09:00:00 GMT", true)] {
            let server = try FaultServer { _ in
                .reply(200, headers: ["Last-Modified": modified, "Date": now], body: Data("x".utf8))
            }
            defer { server.stop() }
            _ = try await web(server, options()).contents(path: ProviderPath("f"))
            #expect(kept().isEmpty != isKept)
        }
    }

    @Test func `what others have in the folder stays, however full it is`() async throws {
        let server = try server(LockedValue(old))
        defer { server.stop() }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let others = folder.appending(path: "answer-key.pdf")
        try old.write(to: others)
        let provider = try web(server, options { $0.capacity = 110_000 })
        for number in 0..<6 { _ = try await provider.contents(path: ProviderPath("file \(number)")) }
        #expect(FileManager.default.fileExists(atPath: others.path))
        #expect(kept().count <= 3)
        // Of what has gone no empty folders are left.
        let folders = FileManager.default.enumerator(atPath: folder.path)?.allObjects.count ?? 0
        #expect(folders < 12)
    }

    @Test func `a folder that others can write to is not used`() async throws {
        let server = try server(LockedValue(old))
        defer { server.stop() }
        let own = folder.appending(path: "carrel-answers")
        try FileManager.default.createDirectory(
            at: own, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: own.path)
        for _ in 0..<2 { #expect(try await web(server, options()).contents(path: ProviderPath("file")) == old) }
        #expect(server.requests.allSatisfy { $0.headers["if-none-match"] == nil })
    }

    @Test func `what the cache was told to drop is asked for anew`() async throws {
        let server = try server(LockedValue(old))
        defer { server.stop() }
        let provider = try web(server, options { ($0.validates, $0.lifetime) = (false, 1000) })
        let path = try ProviderPath("folder/file")
        for _ in 0..<2 { _ = try await provider.contents(path: path) }
        #expect(server.requests.count == 1)
        provider.dropCache(path: try ProviderPath("folder"))
        _ = try await provider.contents(path: path)
        #expect(server.requests.count == 2)
    }

    @Test func `a change by another process is not overrun by an answer that was under way`() async throws {
        let content = LockedValue(old)
        let other = LockedValue<HTTPFileProvider<DriveService>?>(nil)
        let isFirst = LockedValue(true)
        let server = try DriveServer { request in
            guard request.method == "GET", !request.target.contains("?"),
                isFirst.update({ isFirst in
                    defer { isFirst = false }
                    return isFirst
                })
            else { return nil }
            // While the old answer is under way, somebody else writes.
            let done = DispatchSemaphore(value: 0)
            Task {
                _ = try? await other.value?.writeContents(
                    path: ProviderPath("file"), contents: Data("new".utf8), overwrite: true)
                done.signal()
            }
            done.wait()
            return .reply(200, headers: ["ETag": "\"old\""], body: content.value)
        }
        server.put(try ProviderPath("file"), old)
        let options = options { ($0.validates, $0.lifetime) = (false, 1000) }
        other.update { $0 = try? drive(server, options) }
        _ = try await drive(server, options).contents(path: ProviderPath("file"))
        #expect(try await drive(server, options).contents(path: ProviderPath("file")) == Data("new".utf8))
    }

    @Test func `what is kept is for this user alone`() async throws {
        let server = try server(LockedValue(old))
        defer { server.stop() }
        _ = try await web(server, options()).contents(path: ProviderPath("file"))
        let own = folder.appending(path: "carrel-answers").path
        let mode = try FileManager.default.attributesOfItem(atPath: own)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test func `a folder that cannot be written costs nothing but the keeping`() async throws {
        let server = try server(LockedValue(old))
        defer { server.stop() }
        try Data().write(to: folder.appending(path: "carrel-answers"))
        #expect(try await web(server, options()).contents(path: ProviderPath("file")) == old)
    }

    // MARK: Own changes, and listings

    private func drive(_ server: DriveServer, _ options: ConnectionOptions) throws -> HTTPFileProvider<DriveService> {
        try HTTPFileProvider(service: DriveService(), url: server.url, options: options)
    }

    @Test func `own changes are seen at once, whatever was kept`() async throws {
        let server = try DriveServer()
        let provider = try drive(
            server,
            options {
                $0.validates = false; $0.lifetime = 1000
            })
        let path = try ProviderPath("file")
        try await provider.writeContents(path: path, contents: Data("one".utf8))
        #expect(try await provider.contents(path: path) == Data("one".utf8))
        try await provider.writeContents(path: path, contents: Data("two".utf8), overwrite: true)
        #expect(try await provider.contents(path: path) == Data("two".utf8))
        let other = try ProviderPath("other")
        try await provider.moveItem(path: path, to: other)
        #expect(try await provider.contents(path: other) == Data("two".utf8))
        await #expect(throws: CocoaError.self) { _ = try await provider.contents(path: path) }
        try await provider.removeItem(path: other)
        await #expect(throws: CocoaError.self) { _ = try await provider.contents(path: other) }
        #expect(try await provider.contentsOfDirectory(path: .root).isEmpty)
    }

    @Test func `a listing with a tag is asked about, not sent again`() async throws {
        let tag = "\"7\""
        let listing = Data(#"{"items":[{"name":"a","isFolder":false,"size":5,"tag":"1"}]}"#.utf8)
        let server = try DriveServer { request in
            guard request.target.contains("list") else { return nil }
            return request.headers["if-none-match"] == tag
                ? .reply(304) : .reply(200, headers: ["ETag": tag], body: listing)
        }
        let names = try await drive(server, options()).contentsOfDirectory(path: .root).map(\.name)
        #expect(try await drive(server, options()).contentsOfDirectory(path: .root).map(\.name) == names)
        #expect(names == ["a"])
        #expect(server.requests.map { $0.headers["if-none-match"] } == [nil, tag])
    }
}
