import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import Testing
import WebDAVFileProvider

/// What is sent for a write, request by request.
@Suite struct WebDAVWriteTests {
    private func provider(
        _ server: FaultServer, _ vendor: WebDAVQuirks.Vendor, retries: Int = 2, longestPause: Double = 0.5
    ) throws
        -> WebDAVFileProvider
    {
        try WebDAVFileProvider(
            configuration: WebDAVConfiguration(baseURL: server.url(), quirks: WebDAVQuirks(vendor)),
            options: ConnectionOptions(
                timeouts: Timeouts(connect: 20, idle: 20),
                retries: RetryPolicy(retries: retries, firstPause: 0.01, longestPause: longestPause)))
    }

    private static func file(_ target: String, size: Int, tag: String = "\"1\"") -> FaultServer.Answer {
        let answer = """
            <d:multistatus xmlns:d="DAV:"><d:response><d:href>\(target)</d:href><d:propstat><d:prop><d:resourcetype/>\
            <d:getcontentlength>\(size)</d:getcontentlength><d:getetag>\(tag)</d:getetag></d:prop>\
            <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>
            """
        return .reply(207, body: Data(answer.utf8))
    }

    /// The answer to a look: the file, if it is asked for under a temporary name.
    private static func part(_ request: FaultServer.Request, size: Int) -> FaultServer.Answer {
        request.target.contains(TemporaryName.suffix) ? file(request.target, size: size) : .reply(404)
    }

    /// The methods, with the name where it is no temporary one.
    private func sent(_ server: FaultServer) -> [String] {
        server.requests.map { $0.target.contains(TemporaryName.suffix) ? $0.method : "\($0.method) \($0.target)" }
    }

    @Test func `a small new file is one PUT, one look and one MOVE`() async throws {
        let server = try FaultServer { request in
            request.method == "PROPFIND" ? Self.part(request, size: 4) : .reply(201, headers: ["ETag": "\"x\""])
        }
        defer { server.stop() }
        let written = try await provider(server, .other).writeContents(
            path: ProviderPath("f"), contents: Data("here".utf8))
        #expect(written.size == 4 && written.name == "f" && written.entryTag == "\"x\"")
        #expect(sent(server) == ["PUT", "PROPFIND", "MOVE"])
        #expect(server.requests.last?.headers["overwrite"] == "F")
    }

    @Test(arguments: [
        ("f.epub", String?.none, "application/epub+zip"), ("f.epub", "text/x-own", "text/x-own"), ("f", nil, nil),
    ])
    func `an upload goes with the media type of its final name`(name: String, given: String?, expected: String?)
        async throws
    {
        let server = try FaultServer { request in
            request.method == "PROPFIND" ? Self.part(request, size: 4) : .reply(201, headers: ["ETag": "\"x\""])
        }
        defer { server.stop() }
        _ = try await provider(server, .other).writeContents(
            path: ProviderPath(name), from: DataSource(Data("here".utf8)), options: WriteOptions(contentType: given))
        #expect(server.requests.first { $0.method == "PUT" }?.headers["content-type"] == expected)
    }

    @Test func `a large file is looked at before and after, in place it is one PUT between two looks`() async throws {
        let size = (1 << 20) + 1
        for (placement, expected) in [
            (WriteOptions.Placement.published, ["PROPFIND /f", "PUT", "PROPFIND", "MOVE"]),
            (.inPlace, ["PROPFIND /f", "PUT /f", "PROPFIND /f"]),
        ] {
            let isThere = LockedValue(false)
            let server = try FaultServer { request in
                if request.method == "PUT" { isThere.update { $0 = true } }
                if request.method == "PROPFIND" {
                    return isThere.value ? Self.file(request.target, size: size) : .reply(404)
                }
                return .reply(201)
            }
            defer { server.stop() }
            _ = try await provider(server, .other).writeContents(
                path: ProviderPath("f"), from: DataSource(Data(count: size)),
                options: WriteOptions(placement: placement))
            #expect(sent(server) == expected)
        }
    }

    @Test func `a folder that appeared during a large upload is not taken away with what is in it`() async throws {
        let size = (1 << 20) + 1
        let wasSent = LockedValue(false)
        let server = try FaultServer { request in
            if request.method == "PUT" { wasSent.update { $0 = true } }
            guard request.method == "PROPFIND" else { return .reply(201) }
            if request.target.contains(TemporaryName.suffix) { return Self.file(request.target, size: size) }
            guard wasSent.value else { return .reply(404) }
            let inside = request.headers["depth"] == "1" ? [ScriptedReply.response("/f/inside")] : []
            return ScriptedReply.multistatus([ScriptedReply.response("/f/", isFolder: true)] + inside)
        }
        defer { server.stop() }
        let error = await #expect(throws: CocoaError.self) {
            _ = try await provider(server, .other).writeContents(
                path: ProviderPath("f"), from: DataSource(Data(count: size)), options: WriteOptions(overwrite: true))
        }
        #expect(error?.code == .fileWriteFileExists)
        #expect(!server.requests.contains { $0.method == "MOVE" || $0.method == "DELETE" && $0.target.hasPrefix("/f") })
    }

    @Test(arguments: [408, 423, 425, 429, 502, 503, 504, 509])
    func `an upload is sent again after a status that passes, as late as the server asks`(_ status: Int) async throws {
        let puts = LockedValue(0)
        let server = try FaultServer { request in
            if request.method == "PROPFIND" { return puts.value == 2 ? Self.part(request, size: 5) : .reply(404) }
            guard request.method == "PUT" else { return .reply(201) }
            let isFirst = puts.update {
                $0 += 1
                return $0 == 1
            }
            return isFirst ? .reply(status, headers: ["Retry-After": "0.3"]) : .reply(201)
        }
        defer { server.stop() }
        let start = ContinuousClock.now
        try await provider(server, .other).writeContents(path: ProviderPath("f"), contents: Data("again".utf8))
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        // A gateway may have given up an upload that has arrived.
        let look = [408, 502, 504].contains(status) ? ["PROPFIND"] : []
        #expect(sent(server) == ["PUT"] + look + ["PUT", "PROPFIND", "MOVE"])
        #expect(
            server.requests.filter { $0.method == "PUT" }.allSatisfy {
                $0.body == Data("again".utf8) && $0.headers["content-range"] == nil
            }
        )
    }

    @Test(arguments: [423, 425, 429, 503])
    func `a move that was not begun is asked for again`(_ status: Int) async throws {
        let count = LockedValue(0)
        let server = try FaultServer { request in
            if request.method == "PROPFIND" { return Self.part(request, size: 1) }
            guard request.method == "MOVE" else { return .reply(201) }
            return count.update {
                $0 += 1; return $0
            } < 3 ? .reply(status) : .reply(201)
        }
        defer { server.stop() }
        try await provider(server, .other).writeContents(path: ProviderPath("f"), contents: Data("x".utf8))
        #expect(sent(server) == ["PUT", "PROPFIND", "MOVE", "MOVE", "MOVE"])
    }

    @Test(arguments: [408, 502, 504])
    func `a move whose gateway gave up is not sent again: looking tells whether it was done`(_ status: Int) async throws
    {
        let isMoved = LockedValue(false)
        let server = try FaultServer { request in
            if request.method == "MOVE" {
                isMoved.update { $0 = true }
                return .reply(status)
            }
            guard request.method == "PROPFIND" else { return .reply(201) }
            return (request.target == "/f") == isMoved.value ? Self.file(request.target, size: 1) : .reply(404)
        }
        defer { server.stop() }
        let written = try await provider(server, .other).writeContents(
            path: ProviderPath("f"), contents: Data("x".utf8))
        #expect(written.size == 1)
        #expect(server.requests.filter { $0.method == "MOVE" }.count == 1)
    }

    @Test(arguments: [408, 504])
    func `a move that may still be under way is waited for`(_ status: Int) async throws {
        let looks = LockedValue(0)
        let server = try FaultServer { request in
            if request.method == "MOVE" { return .reply(status) }
            guard request.method == "PROPFIND" else { return .reply(201) }
            let isTemporary = request.target != "/f"
            let count = looks.update {
                $0 += isTemporary ? 1 : 0
                return $0
            }
            return isTemporary == (count < 5) ? Self.file(request.target, size: 1) : .reply(404)
        }
        defer { server.stop() }
        try await provider(server, .other, longestPause: 30).writeContents(
            path: ProviderPath("f"), contents: Data("x".utf8))
        #expect(server.requests.filter { $0.method == "MOVE" }.count == 1)
        #expect(!server.requests.contains { $0.method == "DELETE" })
        #expect(looks.value == 5)
    }

    @Test func `a move of which nobody can tell whether it ends is told so, and its file is left`() async throws {
        let server = try FaultServer { request in
            if request.method == "MOVE" { return .reply(504) }
            guard request.method == "PROPFIND" else { return .reply(201) }
            return request.target == "/f" ? .reply(404) : Self.file(request.target, size: 1)
        }
        defer { server.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await provider(server, .other).writeContents(path: ProviderPath("f"), contents: Data("x".utf8))
        }
        let name = server.requests.first { $0.method == "MOVE" }?.target ?? "no move"
        #expect(error?.localizedDescription.contains("“\(name)”") == true)
        #expect(error?.isTransient == true)
        #expect(server.requests.contains { $0.method == "PROPFIND" && $0.target == name })
        #expect(!server.requests.contains { $0.method == "DELETE" })
    }

    @Test func `a file that stays locked is a sentence with its name, and nothing is left`() async throws {
        let server = try FaultServer { request in
            request.method == "MOVE"
                ? .reply(423) : request.method == "PROPFIND" ? Self.part(request, size: 1) : .reply(201)
        }
        defer { server.stop() }
        let error = await #expect(throws: HTTPStatusError.self) {
            try await provider(server, .other).writeContents(path: ProviderPath("f"), contents: Data("x".utf8))
        }
        #expect(error?.code.rawValue == 423)
        #expect(error?.localizedDescription.contains("423 Locked") == true)
        #expect(sent(server) == ["PUT", "PROPFIND", "MOVE", "MOVE", "MOVE", "PROPFIND /f", "DELETE"])
    }

    @Test func `an upload that breaks off begins anew: no part is ever sent`() async throws {
        let count = LockedValue(0)
        let server = try FaultServer { request in
            if request.method == "PUT",
                count.update({
                    $0 += 1; return $0
                }) < 3
            {
                return .raw(Data())
            }
            if request.method == "PROPFIND" { return count.value < 3 ? .reply(404) : Self.part(request, size: 3 << 20) }
            return .reply(201)
        }
        defer { server.stop() }
        try await provider(server, .other).writeContents(path: ProviderPath("f"), contents: Data(count: 3 << 20))
        let puts = server.requests.filter { $0.method == "PUT" }
        #expect(puts.map(\.body.count) == [3 << 20, 3 << 20, 3 << 20])
        #expect(server.requests.allSatisfy { $0.headers["content-range"] == nil && $0.method != "PATCH" })
    }

    @Test func `a version is compared by a look before the move where a proxy rewrites paths`() async throws {
        let size = (1 << 20) + 1
        let wasSent = LockedValue(false)
        let server = try FaultServer { request in
            if request.method == "PUT" { wasSent.update { $0 = true } }
            guard request.method == "PROPFIND" else { return .reply(201) }
            let isOther = wasSent.value && request.target == "/dav/f"
            return Self.file(
                "/internal" + request.target.dropFirst("/dav".count), size: size, tag: isOther ? "\"2\"" : "\"1\"")
        }
        defer { server.stop() }
        let provider = try WebDAVFileProvider(
            configuration: WebDAVConfiguration(
                baseURL: server.url().appending(path: "dav"), quirks: WebDAVQuirks(.apache)),
            options: ConnectionOptions(timeouts: Timeouts(connect: 20, idle: 20)))
        let error = await #expect(throws: CocoaError.self) {
            _ = try await provider.writeContents(
                path: ProviderPath("f"), from: DataSource(Data(count: size)),
                options: WriteOptions(overwrite: true, ifMatch: "\"1\""))
        }
        #expect(error?.localizedDescription.contains("no longer the version") == true)
        #expect(!server.requests.contains { $0.method == "MOVE" })
    }

    @Test func `the time goes with the upload, and a server that takes it is remembered`() async throws {
        let date = Date(timeIntervalSince1970: 784_111_777.5)
        let server = try FaultServer { request in
            if request.method == "PROPFIND" { return Self.file(request.target, size: 1) }
            return .reply(201, headers: request.headers["x-oc-mtime"] == nil ? [:] : ["X-OC-MTime": "accepted"])
        }
        defer { server.stop() }
        let options = WriteOptions(overwrite: true, modificationDate: date)
        let nginx = try provider(server, .nginx)
        let written = try await nginx.writeContents(
            path: ProviderPath("f"), from: DataSource(Data("x".utf8)), options: options)
        #expect(written.modifiedDate == Date(timeIntervalSince1970: 784_111_777))
        #expect(server.requests.last { $0.method == "PUT" }?.headers["date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        let apache = try provider(server, .apache)
        #expect(try await apache.quirks().timeSetting == .none)
        _ = try await apache.writeContents(path: ProviderPath("f"), from: DataSource(Data("x".utf8)), options: options)
        #expect(server.requests.last { $0.method == "PUT" }?.headers["x-oc-mtime"] == "784111777")
        #expect(try await apache.quirks().timeSetting == .ocMtime)
        try await apache.setAttributes(path: ProviderPath("f"), permissions: nil, modificationDate: date)
        #expect(server.requests.last?.method == "PROPPATCH")
        let error = await #expect(throws: CocoaError.self) {
            try await nginx.setAttributes(path: ProviderPath("f"), permissions: nil, modificationDate: date)
        }
        #expect(error?.code == .featureUnsupported)
    }

    @Test func `a tag that would end its header writes nothing`() async throws {
        let server = try FaultServer { _ in .reply(204) }
        defer { server.stop() }
        let options = WriteOptions(overwrite: true, ifMatch: "\"x\"\r\nX-Other: 1")
        await #expect(throws: CocoaError.self) {
            _ = try await provider(server, .apache).writeContents(
                path: ProviderPath("f"), from: DataSource(Data()), options: options)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a source that has more than it promised replaces nothing`() async throws {
        let server = try FaultServer { request in request.method == "PROPFIND" ? .reply(404) : .reply(204) }
        defer { server.stop() }
        await #expect(throws: CocoaError.self) {
            _ = try await provider(server, .apache, retries: 0).writeContents(
                path: ProviderPath("f"), from: ScriptedSource(Data(count: 20), length: 10),
                options: WriteOptions(overwrite: true))
        }
        #expect(!server.requests.contains { $0.method == "PUT" })
    }
}
