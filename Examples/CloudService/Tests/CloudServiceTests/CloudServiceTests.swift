import CloudFileProvider
import FileProviderConformance
import Foundation
import HTTPFileProvider
import Testing

@Suite struct CloudServiceTests {
    private func path(_ text: String) throws -> ProviderPath { try ProviderPath(text) }

    @Test func `the cloud keeps every promise`() async throws {
        let server = try CloudServer("--page", "7")
        defer { server.terminate() }
        let kit = Conformance(
            provider: try server.provider(), folder: .root, connect: { try server.provider() })
        let report = await kit.run()
        #expect(report.isConforming, "\(report)")
    }

    @Test func `pages are followed, and a name in another case is the same item`() async throws {
        let server = try CloudServer("--page", "3")
        defer { server.terminate() }
        let cloud = try server.provider()
        for number in 0..<8 {
            try await cloud.writeContents(path: path("Books/File \(number)"), contents: Data([UInt8(number)]))
        }
        _ = try await server.requests()
        let items = try await cloud.contentsOfDirectory(path: path("books"))
        #expect(try items.map(\.path) == (0..<8).map { try path("books/File \($0)") })
        #expect(try await server.requests() == ["files/list_folder": 1, "files/list_folder/continue": 2])
        #expect(try await cloud.attributesOfItem(path: path("BOOKS/FILE 3")).name == "File 3")
    }

    @Test func `a search for the beginning of a name is the server's, every other one lists`() async throws {
        let server = try CloudServer("--page", "1")
        defer { server.terminate() }
        let cloud = try server.provider()
        for name in ["Deep/Night Train.txt", "Deep/Er/night trap", "Deep/the night tram", "Night Trade"] {
            try await cloud.writeContents(path: path(name), contents: Data())
        }
        _ = try await server.requests()
        let query = FileQuery.name(.begins("night tra", options: .caseInsensitive))
        let found = try await cloud.searchFiles(path: path("deep"), recursive: true, query: query)
        #expect(try Set(found.map(\.path)) == [path("deep/Night Train.txt"), path("deep/Er/night trap")])
        let counted = try await server.requests()
        #expect(counted["files/search_v2"] == 1 && counted["files/list_folder"] == nil)
        let others = try await cloud.searchFiles(path: .root, recursive: true, query: .name(.ends("ap")))
        #expect(others.map(\.name) == ["night trap"])
        #expect(try await server.requests()["files/search_v2"] == nil)
    }

    @Test(.timeLimit(.minutes(1))) func `changes are waited for, and a forgotten cursor asks for a new listing`()
        async throws
    {
        let server = try CloudServer("--page", "2")
        defer { server.terminate() }
        let cloud = try server.provider()
        try await cloud.createFolder(path: path("Books"))
        try await cloud.writeContents(path: path("Books/a"), contents: Data())
        let token = try await cloud.changes(path: path("books"), since: nil).token
        async let waiting = cloud.changes(path: path("books"), since: token)
        try await cloud.removeItem(path: path("Books/a"))
        let answer = try await waiting
        #expect(answer.events.map(\.description) == ["removed /books/a"])
        try await cloud.writeContents(path: path("Books/b"), contents: Data())
        try await cloud.writeContents(path: path("elsewhere"), contents: Data())
        let next = try await cloud.changes(path: path("books"), since: answer.token)
        #expect(next.events.map(\.description) == ["created /books/b"])
        try await server.control("reset")
        let last = try await cloud.changes(path: path("books"), since: next.token)
        #expect(last.events.map(\.kind) == [.rescan])
        try await cloud.removeItem(path: path("Books"))
        await #expect { try await cloud.changes(path: path("books"), since: last.token) } throws: { $0.isNoSuchFile }
    }

    @Test func `a picture's size and thumbnail are the server's`() async throws {
        let server = try CloudServer()
        defer { server.terminate() }
        let cloud = try server.provider()
        let picture = """
            iVBORw0KGgoAAAANSUhEUgAAAMgAAABkCAIAAABM5OhcAAAAUElEQVR4nO3BAQEAAACCIP+vbkhAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPwZ6sQAAZV8l2IAAAAASUVORK5CYII=
            """
        try await cloud.writeContents(path: path("a.png"), contents: #require(Data(base64Encoded: picture)))
        let properties = try await cloud.propertiesOfFile(path: path("a.png"))
        #expect(properties["width"] == 200 && properties["height"] == 100)
        let thumbnail = try await cloud.thumbnailOfFile(path: path("a.png"), dimension: 100)
        #expect(thumbnail.width == 64 && thumbnail.height == 32 && thumbnail.mediaType == "image/png")
        try await cloud.writeContents(path: path("b.png"), contents: Data("no picture".utf8))
        await #expect { try await cloud.thumbnailOfFile(path: path("b.png")) } throws: {
            ($0 as? CocoaError)?.code == .featureUnsupported
        }
    }

    @Test func `a long file goes up in parts, past a lost answer, and its hash is that of its blocks`() async throws {
        let server = try CloudServer()
        defer { server.terminate() }
        let cloud = try server.provider()
        let bytes = Data(count: 9 << 20)
        try await server.control("script", #"{"route": "files/upload_session/append_v2", "loses_answer": true}"#)
        try await cloud.writeContents(path: path("long"), contents: bytes)
        #expect(try await server.requests()["files/upload_session/append_v2"] == 3)
        #expect(try await cloud.contents(path: path("long"), part: .suffix(7)) == Data(count: 7))
        let hash = try await cloud.checksum(of: path("long"), kind: "content_hash")
        #expect(hash == "c8f97c712320613991f39507b92b54d92085daf3d0b44dc6264b60a9c6da2fc1")
        #expect(try await cloud.capabilities().hashKinds == ["content_hash"])
    }

    @Test func `a link is made once`() async throws {
        let server = try CloudServer()
        defer { server.terminate() }
        let cloud = try server.provider()
        try await cloud.writeContents(path: path("shared"), contents: Data("hello".utf8))
        let link = try await cloud.publicLink(to: path("shared"))
        #expect(link.url.host() == "127.0.0.1" && link.url.path().hasSuffix("/shared"))
        #expect(try await cloud.publicLink(to: path("shared")) == link)
        #expect(try await server.requests()["sharing/create_shared_link_with_settings"] == 1)
    }

    @Test func `what the server refuses is told in Foundation's words, and a busy one is asked again`() async throws {
        let server = try CloudServer("--quota", "1000")
        defer { server.terminate() }
        let cloud = try server.provider()
        try await cloud.checkReachability()
        #expect(try await cloud.storageProperties()?.availableCapacity == 1000)
        await #expect { try await cloud.writeContents(path: path("a"), contents: Data(count: 1001)) } throws: {
            ($0 as? CocoaError)?.code == .fileWriteOutOfSpace
        }
        let foreign = try server.provider(token: "another")
        await #expect { try await foreign.checkReachability() } throws: {
            ($0 as? URLError)?.code == .userAuthenticationRequired
        }
        try await cloud.writeContents(path: path("a"), contents: Data())
        _ = try await server.requests()
        try await server.control("script", #"{"route": "files/get_metadata", "status": 429, "retry_after": 0}"#)
        #expect(try await cloud.attributesOfItem(path: path("a")).size == 0)
        #expect(try await server.requests()["files/get_metadata"] == 2)
        await server.stop()
        await #expect { try await cloud.checkReachability() } throws: {
            ($0 as? URLError)?.code == .cannotConnectToHost
        }
    }

    @Test func `a URL of the scheme and a setting lead to the cloud`() async throws {
        let server = try CloudServer()
        defer { server.terminate() }
        let registry = ProviderRegistry()
        try registry.register(CloudService.registration)
        var options = server.options()
        options.settings = ["api": server.url.absoluteString]
        let url = try #require(URL(string: "cloud://here/a%20b"))
        let location = try await registry.location(of: url, options: options)
        try await location.provider.writeContents(path: location.path, contents: Data("hello".utf8))
        #expect(try await server.provider().contents(path: path("a b")) == Data("hello".utf8))
        let elsewhere = try await registry.location(of: #require(URL(string: "cloud://here:8443/a")))
        let root = elsewhere.provider.url(of: .root)
        #expect(root.scheme == "https" && root.host() == "here" && root.port == 8443)
    }

    @Test func `only a file in the way is removed for a move or a copy`() async throws {
        let server = try CloudServer()
        defer { server.terminate() }
        let cloud = try server.provider()
        let (from, target) = (try path("from"), try path("target"))
        try await cloud.writeContents(path: from, contents: Data("new".utf8))
        try await cloud.writeContents(path: target, contents: Data("old".utf8))
        for route in ["files/move_v2", "files/copy_v2"] {
            try await server.control("script", #"{"route": "\#(route)", "status": 409}"#)
            await #expect(throws: HTTPStatusError.self) {
                if route == "files/move_v2" {
                    try await cloud.moveItem(path: from, to: target, overwrite: true)
                } else {
                    try await cloud.copyItem(path: from, to: target, overwrite: true)
                }
            }
            #expect(try await cloud.contents(path: target) == Data("old".utf8))
        }
        #expect(try await server.requests()["files/delete_v2"] == nil)
        try await cloud.moveItem(path: from, to: target, overwrite: true)
        #expect(try await cloud.contents(path: target) == Data("new".utf8))
        #expect(try await server.requests()["files/delete_v2"] == 1)
    }

    @Test func `the double answers as the API is described`() async throws {
        let script = try PythonScript("server_check.py")
        #expect(await script.status() == 0)
    }

    @Test func `the service has under 400 lines`() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.standardizedFileURL.path)
            .filter { $0.hasSuffix(".swift") }
        let lines = try files.map {
            try String(contentsOf: sources.appending(path: $0), encoding: .utf8).count { $0 == "\n" }
        }
        #expect(files.count == 5 && lines.reduce(0, +) < 400)
    }
}
