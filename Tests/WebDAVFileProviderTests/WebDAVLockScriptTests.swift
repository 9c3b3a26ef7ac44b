import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import Testing
import WebDAVFileProvider

/// What is sent for a lock, request by request.
@Suite struct WebDAVLockScriptTests {
    private func provider(_ server: FaultServer, _ vendor: WebDAVQuirks.Vendor = .nginx) throws -> WebDAVFileProvider {
        var quirks = WebDAVQuirks(vendor)
        quirks.lockUse = .always
        return try WebDAVFileProvider(
            configuration: WebDAVConfiguration(baseURL: server.url(), quirks: quirks),
            options: ConnectionOptions(
                timeouts: Timeouts(connect: 20, idle: 20),
                retries: RetryPolicy(retries: 1, firstPause: 0.01, longestPause: 0.1)))
    }

    private static func granted(_ timeout: String, status: Int = 200) -> FaultServer.Answer {
        let body = """
            <D:prop xmlns:D="DAV:"><D:lockdiscovery><D:activelock><D:timeout>\(timeout)</D:timeout></D:activelock></D:lockdiscovery></D:prop>
            """
        return .reply(status, headers: ["Lock-Token": "<urn:1>"], body: Data(body.utf8))
    }

    @Test func `a lock is refreshed at half of the time that the server granted, and given back`() async throws {
        let server = try FaultServer { request in
            if request.method == "PROPFIND" { return ScriptedReply.multistatus(ScriptedReply.response(request.target)) }
            return request.method == "LOCK" ? Self.granted("Second-1") : .reply(204)
        }
        defer { server.stop() }
        let provider = try provider(server)
        try await provider.withLock(path: ProviderPath("f"), timeout: 100) { lock in
            #expect(lock.timeout == 1)
            try await eventually { server.requests.count >= 3 }
            // The first goes by a temporary name, the second to the name itself.
            for text in ["x", "y"] {
                try await provider.writeContents(path: ProviderPath("f"), contents: Data(text.utf8), overwrite: true)
            }
        }
        let first = try #require(server.requests.first)
        #expect(first.headers["timeout"] == "Second-100" && first.headers["depth"] == "0" && first.headers["if"] == nil)
        #expect(String(decoding: first.body, as: UTF8.self).contains("<D:exclusive/>"))
        #expect(
            server.requests.filter { $0.method == "LOCK" }.dropFirst().allSatisfy {
                $0.headers["if"] == "(<urn:1>)" && $0.body.isEmpty
            })
        #expect(server.requests.filter { $0.method == "LOCK" }.count >= 3)
        #expect(!server.requests.contains { $0.method == "MOVE" })
        #expect(server.requests.last { $0.method == "PUT" }?.headers["if"] == "(<urn:1>)")
        #expect(server.requests.last?.method == "UNLOCK" && server.requests.last?.headers["lock-token"] == "<urn:1>")
    }

    @Test func `a lock that the server has forgotten is known to be lost`() async throws {
        let server = try FaultServer { request in
            request.method == "LOCK" && request.headers["if"] != nil ? .reply(412) : Self.granted("Infinite")
        }
        defer { server.stop() }
        let lock = try await provider(server).lock(path: ProviderPath("f"), timeout: 30)
        #expect(lock.timeout == 30 && lock.lossError == nil)
        let error = await #expect(throws: CocoaError.self) { try await lock.refresh() }
        #expect(error?.localizedDescription.contains("no longer held") == true)
        #expect(lock.lossError != nil)
        try await lock.unlock()
    }

    @Test(arguments: [405, 501])
    func `a server without locks says so once`(_ status: Int) async throws {
        let server = try FaultServer { request in
            if request.method == "PROPFIND" { return ScriptedReply.multistatus(ScriptedReply.response(request.target)) }
            return request.method == "LOCK" ? .reply(status) : .reply(204)
        }
        defer { server.stop() }
        let provider = try provider(server)
        for _ in 0..<2 {
            let error = await #expect(throws: CocoaError.self) { _ = try await provider.lock(path: ProviderPath("f")) }
            #expect(error?.code == .featureUnsupported)
        }
        #expect(server.requests.count == 1)
        #expect(try await provider.quirks().locks == .none)
        // Writes go on without.
        try await provider.writeContents(path: ProviderPath("f"), contents: Data("x".utf8))
    }

    @Test func `what cannot be locked is written without a lock, and what was promised is taken back`() async throws {
        let server = try FaultServer { request in
            if request.method == "PROPFIND" {
                let isPart = request.target.hasSuffix(TemporaryName.suffix)
                return isPart ? ScriptedReply.multistatus(ScriptedReply.response(request.target)) : .reply(404)
            }
            return request.method == "LOCK" ? .reply(405) : .reply(201)
        }
        defer { server.stop() }
        let provider = try provider(server)
        try await provider.writeContents(path: ProviderPath("f"), contents: Data("x".utf8))
        #expect(Set(server.requests.map(\.method)) == ["LOCK", "PUT", "PROPFIND", "MOVE"])
        #expect(try await provider.quirks().locks == .none)
    }

    @Test(arguments: ["", "<>", "<a> <b>", "a b"])
    func `a lock without a token that can be sent is none`(_ token: String) async throws {
        let server = try FaultServer { _ in .reply(200, headers: token.isEmpty ? [:] : ["Lock-Token": token]) }
        defer { server.stop() }
        await #expect(throws: URLError.self) { _ = try await provider(server).lock(path: ProviderPath("f")) }
    }

    @Test func `a new file that cannot be put into place leaves neither lock nor the file that the lock made`()
        async throws
    {
        let server = try FaultServer { request in
            switch request.method {
            case "LOCK": Self.granted("Second-60", status: 201)
            case "MOVE": .reply(507)
            case "PROPFIND": ScriptedReply.multistatus(ScriptedReply.response(request.target))
            default: .reply(204)
            }
        }
        defer { server.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await provider(server).writeContents(path: ProviderPath("f"), contents: Data("x".utf8))
        }
        #expect(error?.code == .fileWriteOutOfSpace)
        let ending = server.requests.drop { $0.method != "MOVE" }.dropFirst()
        #expect(ending.map(\.method).prefix(2) == ["DELETE", "UNLOCK"])
        #expect(ending.first?.target == "/f" && ending.first?.headers["if"]?.contains("urn:1") == true)
        #expect(ending.contains { $0.method == "DELETE" && $0.target.hasSuffix(TemporaryName.suffix) })
    }

    @Test func `a lock that is granted after a cancellation is given back`() async throws {
        let server = try FaultServer { request in
            guard request.method == "LOCK" else { return .reply(204) }
            return .drip(201, headers: ["Lock-Token": "<urn:1>"], body: Data("abcdefgh".utf8), pause: 0.1)
        }
        defer { server.stop() }
        let provider = try provider(server)
        let taking = Task { _ = try await provider.lock(path: ProviderPath("f")) }
        try await eventually { !server.requests.isEmpty }
        taking.cancel()
        await #expect(throws: CancellationError.self) { try await taking.value }
        try await eventually { server.requests.last?.method == "UNLOCK" }
        #expect(server.requests.map(\.method) == ["LOCK", "DELETE", "UNLOCK"])
    }

    @Test func `a refusal at one place does not take the locks from the other providers of the server`() async throws {
        let server = try FaultServer { request in
            switch request.method {
            case "OPTIONS": .reply(200, headers: ["Server": "nginx", "DAV": "2"])
            case "PROPFIND": ScriptedReply.multistatus(ScriptedReply.response(request.target, isFolder: true))
            default: request.target == "/f" ? .reply(405) : Self.granted("Second-60")
            }
        }
        defer { server.stop() }
        let servers = WebDAVServers()
        let providers = try (0..<2).map { _ in
            try WebDAVFileProvider(configuration: WebDAVConfiguration(baseURL: server.url()), servers: servers)
        }
        await #expect(throws: CocoaError.self) { _ = try await providers[0].lock(path: ProviderPath("f")) }
        #expect(try await providers[0].quirks().locks == .none)
        #expect(try await providers[1].quirks().locks == .exclusive)
        let lock = try await providers[1].lock(path: ProviderPath("g"))
        try await lock.unlock()
    }

    @Test func `what was removed is no longer locked, and carries no token afterwards`() async throws {
        let server = try FaultServer { request in
            switch request.method {
            case "LOCK": Self.granted("Second-60")
            case "PROPFIND": ScriptedReply.multistatus(ScriptedReply.response(request.target))
            default: .reply(204)
            }
        }
        defer { server.stop() }
        let provider = try provider(server)
        let lock = try await provider.lock(path: ProviderPath("f"))
        try await provider.removeItem(path: ProviderPath("f"))
        #expect(
            server.requests.last?.method == "DELETE"
                && server.requests.last?.headers["if"] == "<\(server.url())f> (<urn:1>)")
        try await provider.writeContents(path: ProviderPath("f"), contents: Data("x".utf8), overwrite: true)
        #expect(server.requests.last?.method == "MOVE" && server.requests.last?.headers["if"] == nil)
        try await lock.unlock()
    }

    @Test func `a write whose lock was lost says so, and not that something is there`() async throws {
        let server = try FaultServer { request in
            switch request.method {
            case "LOCK": Self.granted("Second-60")
            case "PROPFIND": ScriptedReply.multistatus(ScriptedReply.response(request.target))
            default: .reply(request.headers["if"] == nil ? 204 : 412)
            }
        }
        defer { server.stop() }
        for vendor in [WebDAVQuirks.Vendor.nginx, .rclone] {
            let provider = try provider(server, vendor)
            let lock = try await provider.lock(path: ProviderPath("f"))
            let writing = await #expect(throws: CocoaError.self) {
                try await provider.writeContents(path: ProviderPath("f"), contents: Data("x".utf8), overwrite: true)
            }
            #expect(
                writing?.code == .fileWriteUnknown && writing?.localizedDescription.contains("no longer held") == true)
            let removing = await #expect(throws: CocoaError.self) {
                try await provider.removeItem(path: ProviderPath("f"))
            }
            #expect(removing?.localizedDescription.contains("no longer held") == true)
            try await lock.unlock()
        }
    }

    @Test func `a refresh that failed in passing is tried again sooner than at the next half`() async throws {
        let times = LockedValue<[ContinuousClock.Instant]>([])
        let server = try FaultServer { request in
            guard request.method == "LOCK" else { return .reply(204) }
            let count = times.update {
                $0.append(.now)
                return $0.count
            }
            // With the policy's one try more, two refusals are one refresh.
            return [2, 3].contains(count) ? .reply(503) : Self.granted("Second-8")
        }
        defer { server.stop() }
        let lock = try await provider(server).lock(path: ProviderPath("f"))
        try await eventually { times.value.count >= 4 }
        let seen = times.value
        try #require(seen.count >= 4)
        #expect((seen[3] - seen[2]) * 4 < (seen[1] - seen[0]) * 3)
        #expect(lock.lossError == nil)
        try await lock.unlock()
    }
}
