import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing
import WebDAVFileProvider

@Suite struct OperationTests {
    /// A tree of names, changed by `MOVE`; folders end in a slash. What it refuses depends on the test.
    private final class Tree: Sendable {
        let items: LockedValue<Set<String>>

        init(_ items: Set<String>) {
            self.items = LockedValue(items)
        }

        /// As a server answers that shows its items below `hrefs`.
        func answer(_ request: FaultServer.Request, hrefs: String = "/dav/") -> FaultServer.Answer {
            let path = request.target.dropFirst("/dav/".count)
            let name = path.hasSuffix("/") ? String(path.dropLast()) : String(path)
            let isFolder = name.isEmpty || items.value.contains(name + "/")
            switch request.method {
            case "PROPFIND":
                guard isFolder || items.value.contains(name) else { return .reply(404) }
                return ScriptedReply.multistatus(ScriptedReply.response(hrefs + path, isFolder: isFolder))
            default: return .reply(501)
            }
        }

        func move(_ request: FaultServer.Request, to destination: String) -> FaultServer.Answer {
            items.update {
                $0.remove(String(request.target.dropFirst("/dav/".count)))
                $0.insert(destination)
            }
            return .reply(201)
        }
    }

    /// A server that takes one form of `Destination`, and answers `refusal` to any other.
    private func server(takes form: String, hrefs: String = "/dav/", refusal: Int, _ tree: Tree) throws -> FaultServer {
        try FaultServer { request in
            guard request.method == "MOVE" else { return tree.answer(request, hrefs: hrefs) }
            let destination = request.headers["destination"] ?? ""
            guard destination.hasPrefix(form) else { return .reply(refusal) }
            return tree.move(request, to: String(destination.dropFirst(form.count)))
        }
    }

    private func destinations(_ server: FaultServer) -> [String] {
        server.requests.filter { $0.method == "MOVE" }.map { $0.headers["destination"] ?? "" }
    }

    @Test(arguments: [400, 403, 409, 502])
    func `a Destination that a proxy spoils is tried as a path, and that form is remembered`(_ refusal: Int)
        async throws
    {
        let tree = Tree(["a", "b"])
        let server = try server(takes: "/dav/", refusal: refusal, tree)
        defer { server.stop() }
        let provider = try server.provider()
        try await provider.moveItem(path: ProviderPath("a"), to: ProviderPath("c d"))
        #expect(tree.items.value == ["b", "c%20d"])
        #expect(destinations(server) == ["http://127.0.0.1:\(server.port)/dav/c%20d", "/dav/c%20d"])
        try await provider.moveItem(path: ProviderPath("b"), to: ProviderPath("e"))
        #expect(destinations(server).count == 3)
        #expect(destinations(server).last == "/dav/e")
    }

    @Test func `a place that was taken, and is free by the time it is looked at, was taken`() async throws {
        let server = try server(takes: "nowhere", refusal: 412, Tree(["a"]))
        defer { server.stop() }
        let provider = try server.provider()
        await #expect { try await provider.moveItem(path: ProviderPath("a"), to: ProviderPath("b")) } throws: {
            ($0 as? CocoaError)?.code == .fileWriteFileExists
        }
        // Whatever is there was to be replaced: the refusal is about something else.
        await #expect {
            try await provider.moveItem(path: ProviderPath("a"), to: ProviderPath("b"), overwrite: true)
        } throws: {
            ($0 as? CocoaError)?.code != .fileWriteFileExists
        }
    }

    @Test func `a Destination is tried as the server's own hrefs would have it`() async throws {
        let tree = Tree(["a"])
        let server = try server(
            takes: "http://backend:8080/internal/", hrefs: "http://backend:8080/internal/", refusal: 502, tree)
        defer { server.stop() }
        try await server.provider().moveItem(path: ProviderPath("a"), to: ProviderPath("b"))
        #expect(tree.items.value == ["b"])
        #expect(destinations(server).last == "http://backend:8080/internal/b")
    }

    @Test func `a path is not tried where a proxy rewrites paths: it would lead elsewhere`() async throws {
        let tree = Tree(["a"])
        let server = try server(
            takes: "http://backend/x/internal/", hrefs: "http://backend/x/internal/", refusal: 502, tree)
        defer { server.stop() }
        try await server.provider().moveItem(path: ProviderPath("a"), to: ProviderPath("b"))
        #expect(destinations(server) == ["http://127.0.0.1:\(server.port)/dav/b", "http://backend/x/internal/b"])
    }

    @Test func `a success that leaves nothing at the destination is none, and its form is not remembered`() async throws
    {
        let tree = Tree(["a", "c"])
        let server = try FaultServer { request in
            guard request.method == "MOVE" else { return tree.answer(request) }
            return request.headers["destination"]?.hasPrefix("/") == true
                ? tree.move(request, to: "elsewhere") : .reply(502)
        }
        defer { server.stop() }
        let provider = try server.provider()
        for name in ["a", "c"] {
            let error = await #expect(throws: CocoaError.self) {
                try await provider.moveItem(path: ProviderPath(name), to: ProviderPath("b"))
            }
            #expect(error?.sentence.contains("Destination") == true)
        }
        #expect(destinations(server).count == 4)
    }

    @Test func `a copy whose answer was lost is not sent again over what it made`() async throws {
        let isCopied = LockedValue(false)
        let server = try FaultServer { request in
            switch request.method {
            case "COPY":
                isCopied.update { $0 = true }
                return .reply(502)
            case "PROPFIND" where request.target == "/dav/b" && !isCopied.value: return .reply(404)
            case "PROPFIND":
                return ScriptedReply.multistatus(
                    ScriptedReply.response(request.target, isFolder: request.target == "/dav/"))
            default: return .reply(501)
            }
        }
        defer { server.stop() }
        let error = await #expect(throws: HTTPStatusError.self) {
            try await server.provider().copyItem(path: ProviderPath("a"), to: ProviderPath("b"))
        }
        #expect(error?.code.rawValue == 502)
        #expect(server.requests.filter { $0.method == "COPY" }.count == 1)
    }

    @Test func `a Destination that is refused in every form is said to be the cause`() async throws {
        let tree = Tree(["a"])
        let server = try server(takes: "nothing", refusal: 502, tree)
        defer { server.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await server.provider().moveItem(path: ProviderPath("a"), to: ProviderPath("b"))
        }
        #expect(error?.sentence.contains("Destination") == true)
        #expect((error?.underlying as? HTTPStatusError)?.code.rawValue == 502)
        #expect(tree.items.value == ["a"])
    }

    @Test func `a refusal after the form of Destination is known is not tried in other forms`() async throws {
        let tree = Tree(["a", "b"])
        let refuses = LockedValue(false)
        let server = try FaultServer { request in
            guard request.method == "MOVE" else { return tree.answer(request) }
            return refuses.value ? .reply(403) : tree.move(request, to: "c")
        }
        defer { server.stop() }
        let provider = try server.provider()
        try await provider.moveItem(path: ProviderPath("a"), to: ProviderPath("c"))
        refuses.update { $0 = true }
        let error = await #expect(throws: CocoaError.self) {
            try await provider.moveItem(path: ProviderPath("b"), to: ProviderPath("d"))
        }
        #expect(error?.code == .fileWriteNoPermission)
        #expect(destinations(server).count == 2)
    }

    @Test func `a name that is taken is told as such by a server that answers 409, without further tries`() async throws
    {
        let tree = Tree(["a", "b"])
        let server = try server(takes: "nothing", refusal: 409, tree)
        defer { server.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await server.provider().moveItem(path: ProviderPath("a"), to: ProviderPath("b"))
        }
        #expect(error?.code == .fileWriteFileExists)
        #expect(destinations(server).count == 1)
    }

    @Test(arguments: [502, 504])
    func `a move that a proxy gave up waiting for is done when it is done`(_ status: Int) async throws {
        let tree = Tree(["a"])
        let server = try FaultServer { request in
            guard request.method == "MOVE" else { return tree.answer(request) }
            _ = tree.move(request, to: "b")
            return .reply(status)
        }
        defer { server.stop() }
        try await server.provider().moveItem(path: ProviderPath("a"), to: ProviderPath("b"))
        #expect(destinations(server).count == 1)
    }

    /// A server that answers a change of `/dav/folder/` with `responses`.
    private func partly(_ responses: [String]) throws -> FaultServer {
        try FaultServer { request in
            if request.method == "PROPFIND" {
                if request.target.hasSuffix("other") { return .reply(404) }
                return ScriptedReply.multistatus(ScriptedReply.response(request.target, isFolder: true))
            }
            return ScriptedReply.multistatus(responses)
        }
    }

    @Test func `each item that a removal leaves is named with its reason, consequences are not`() async throws {
        let server = try partly([
            ScriptedReply.failure("/dav/folder/a%20b", 423), ScriptedReply.failure("/dav/folder/x/y", 403),
            ScriptedReply.failure("/dav/folder/x/", 424),
            ScriptedReply.failure("/dav/folder/", 424), ScriptedReply.failure("/dav/folder/gone", 404),
            "<D:response><D:href>/dav/folder/p</D:href><D:href>/dav/folder/q</D:href><D:status>HTTP/1.1 403 No</D:status></D:response>",
        ])
        defer { server.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await server.provider().removeItem(path: ProviderPath("folder"))
        }
        let items = error?.itemErrors ?? []
        #expect(
            items.map { ($0 as? HTTPStatusError)?.path ?? ($0 as? CocoaError)?.userInfo[NSFilePathErrorKey] as? String }
                == [
                    "/folder/a b", "/folder/x/y", "/folder/p", "/folder/q",
                ])
        #expect((items.first as? HTTPStatusError)?.code.rawValue == 423)
        #expect(items.dropFirst().allSatisfy { ($0 as? CocoaError)?.code == .fileWriteNoPermission })
        #expect(error?.code == .fileWriteUnknown)
        #expect(error?.sentence.contains("4 items") == true)
    }

    @Test func `one item that failed is the error itself, in the server's words`() async throws {
        let server = try partly([
            """
            <D:response><D:href>/dav/folder/a</D:href><D:status>HTTP/1.1 423 Locked</D:status>\
            <D:error><D:lock-token-submitted><D:href>/dav/elsewhere</D:href></D:lock-token-submitted></D:error>\
            <D:responsedescription>Ada has it open.</D:responsedescription></D:response>
            """,
            ScriptedReply.failure("/dav/folder/", 424),
        ])
        defer { server.stop() }
        let error = await #expect(throws: HTTPStatusError.self) {
            try await server.provider().removeItem(path: ProviderPath("folder"))
        }
        #expect(error?.path == "/folder/a")
        #expect(error?.serverDescription == "Ada has it open.")
    }

    @Test func `what a copy could not do at its destination is named by its place there`() async throws {
        let server = try partly([
            ScriptedReply.failure("/dav/other/a", 507), ScriptedReply.failure("/dav/other/b", 507),
        ])
        defer { server.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await server.provider().copyItem(path: ProviderPath("folder"), to: ProviderPath("other"))
        }
        #expect(error?.code == .fileWriteOutOfSpace)
        #expect(
            error?.itemErrors.compactMap { ($0 as? CocoaError)?.userInfo[NSFilePathErrorKey] as? String } == [
                "/other/a", "/other/b",
            ])
    }

    @Test(arguments: [
        [], [ScriptedReply.failure("/dav/folder/gone", 404)],
        ["<D:response><D:href>/dav/folder/</D:href><D:status>HTTP/1.1 204 No Content</D:status></D:response>"],
    ])
    func `a multi-status without a failure is a success`(_ responses: [String]) async throws {
        let server = try partly(responses)
        defer { server.stop() }
        try await server.provider().removeItem(path: ProviderPath("folder"))
        #expect(server.requests.count { $0.method == "DELETE" } == 1)
    }

    @Test(arguments: [405, 406, 409, 423])
    func `a folder that is there is told as such, whatever a server answers`(_ status: Int) async throws {
        let looks = LockedValue(0)
        let server = try FaultServer { request in
            if request.method == "OPTIONS" { return .reply(501) }
            guard request.method == "PROPFIND" else { return .reply(status) }
            // It comes into being between the look and the request.
            let look = looks.update {
                $0 += 1; return $0
            }
            return look == 1
                ? .reply(404) : ScriptedReply.multistatus(ScriptedReply.response(request.target, isFolder: true))
        }
        defer { server.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await server.provider().createFolder(path: ProviderPath("folder"))
        }
        #expect(error?.code == .fileWriteFileExists)
    }
}
