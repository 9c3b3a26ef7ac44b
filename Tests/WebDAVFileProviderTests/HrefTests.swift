import FaultServer
import FileProviderCore
import Foundation
import Testing
import WebDAVFileProvider

/// A folder as it is asked for, and the hrefs that a server answers with.
struct HrefCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Counted from the provider's root, which is `/dav/`.
    var folder = "folder"
    var own = "/dav/folder/"
    let child: String
    /// The child's name; nil where it is no item.
    var name: String? = "a b"

    init(
        _ description: String, folder: String = "folder", own: String = "/dav/folder/", child: String,
        name: String? = "a b"
    ) {
        testDescription = description
        self.folder = folder
        self.own = own
        self.child = child
        self.name = name
    }

    /// The child's response, as the folder's own where it is that once more.
    var childResponse: String { ScriptedReply.response(child, isFolder: child == own) }

    static let all: [HrefCase] = [
        HrefCase("an absolute path", child: "/dav/folder/a%20b"),
        HrefCase("an absolute URL", own: "http://127.0.0.1/dav/folder/", child: "http://127.0.0.1/dav/folder/a%20b"),
        HrefCase("a URL for the child alone", child: "http://127.0.0.1/dav/folder/a%20b"),
        HrefCase(
            "the host behind a proxy", own: "http://backend.internal:8080/dav/folder/",
            child: "http://backend.internal:8080/dav/folder/a%20b"),
        HrefCase("another scheme", own: "https://127.0.0.1/dav/folder/", child: "https://127.0.0.1/dav/folder/a%20b"),
        HrefCase("a host alone in front", own: "//backend/dav/folder/", child: "//backend/dav/folder/a%20b"),
        HrefCase("relative to the request", own: "./", child: "a%20b"),
        HrefCase("relative with a dot", own: "./", child: "./a%20b"),
        HrefCase("relative over the parent", own: "../folder/", child: "../folder/a%20b"),
        HrefCase("relative to somewhere else", own: "./", child: "../a%20b", name: nil),
        HrefCase("relative and out of the server", own: "./", child: "../../../../a%20b", name: nil),
        HrefCase("an empty href for the folder", own: "", child: "a%20b"),
        HrefCase("lower-case escapes", folder: "ö", own: "/dav/%c3%b6/", child: "/dav/%c3%b6/%c3%a4", name: "ä"),
        HrefCase("escapes where none are needed", own: "/dav/f%6Flder/", child: "/dav/%66older/%7Ea", name: "~a"),
        HrefCase("unencoded UTF-8", folder: "ö", own: "/dav/ö/", child: "/dav/ö/ä", name: "ä"),
        HrefCase("unencoded for the folder alone", folder: "ö", own: "/dav/ö/", child: "/dav/%C3%B6/%C3%A4", name: "ä"),
        HrefCase("unencoded spaces", folder: "x y", own: "/dav/x y/", child: "/dav/x y/a b"),
        HrefCase(
            "a percent sign that is none of an escape", own: "/dav/folder/", child: "/dav/folder/100%", name: "100%"),
        HrefCase("encoded twice", folder: "x y", own: "/dav/x%2520y/", child: "/dav/x%2520y/a%2520b"),
        HrefCase(
            "a name that looks encoded", folder: "x y", own: "/dav/x%20y/", child: "/dav/x%20y/a%2520b", name: "a%20b"),
        HrefCase("a folder that looks encoded", folder: "x%20y", own: "/dav/x%2520y/", child: "/dav/x%2520y/a%20b"),
        HrefCase("no folder to tell how often it is encoded", child: "/dav/folder/a%2520b", name: "a%20b"),
        HrefCase("never encoded", folder: "x%20y", own: "/dav/x%20y/", child: "/dav/x%20y/a%20b", name: "a%20b"),
        HrefCase("another case of the folder", own: "/DAV/Folder/", child: "/DAV/Folder/a%20b"),
        HrefCase("another case for the children", child: "/DAV/Folder/a%20b"),
        HrefCase("the folder in NFD", folder: "\u{E9}", own: "/dav/e%CC%81/", child: "/dav/e%CC%81/a%20b"),
        HrefCase("the folder in NFC", folder: "e\u{301}", own: "/dav/%C3%A9/", child: "/dav/%C3%A9/a%20b"),
        HrefCase("doubled slashes", own: "//dav//folder//", child: "/dav//folder//a%20b"),
        HrefCase("no slash behind the folder", own: "/dav/folder", child: "/dav/folder/a%20b"),
        HrefCase("a slash behind a file", child: "/dav/folder/a%20b/"),
        HrefCase("a query", own: "/dav/folder/?x=1", child: "/dav/folder/a%20b?x=/1"),
        HrefCase("a fragment behind the folder", own: "/dav/folder/#top", child: "/dav/folder/a%20b"),
        HrefCase("a number sign that was not encoded", child: "/dav/folder/a#b", name: "a#b"),
        HrefCase("white space around it", own: "\n /dav/folder/ \n", child: "\n  /dav/folder/a%20b\n"),
        HrefCase("a path that a proxy rewrites", own: "/internal/x/folder/", child: "/internal/x/folder/a%20b"),
        HrefCase("the folder's own name", child: "/dav/folder/folder", name: "folder"),
        HrefCase("outside of the folder", child: "/dav/other/a%20b", name: nil),
        HrefCase("a name that only begins like the folder's", child: "/dav/folder2/a%20b", name: nil),
        HrefCase("the parent", child: "/dav/", name: nil),
        HrefCase("further down", child: "/dav/folder/x/a%20b", name: nil),
        HrefCase("the folder once more", child: "/dav/folder/", name: nil),
        HrefCase("two dots", child: "/dav/folder/..", name: nil),
        HrefCase("two dots on the way", child: "/dav/folder/x/../a%20b", name: nil),
        HrefCase("two dots, encoded", child: "/dav/folder/%2e%2E", name: nil),
        HrefCase("a slash in a name", child: "/dav/folder/a%2Fb", name: nil),
        HrefCase("a NUL in a name", child: "/dav/folder/a%00b", name: nil),
        HrefCase(
            "a slash in a name, encoded twice", folder: "x y", own: "/dav/x%2520y/", child: "/dav/x%2520y/a%252Fb",
            name: nil),
    ]
}

@Suite struct HrefTests {
    @Test(arguments: HrefCase.all)
    func `a listing finds the items, however their hrefs are written`(_ hrefs: HrefCase) async throws {
        let server = try FaultServer { _ in
            ScriptedReply.multistatus(ScriptedReply.response(hrefs.own, isFolder: true), hrefs.childResponse)
        }
        defer { server.stop() }
        let items = try await server.provider().contentsOfDirectory(path: ProviderPath(hrefs.folder))
        // Bytewise: names in NFC and NFD are equal strings.
        #expect(items.map { Array($0.path.nameBytes) } == [hrefs.name].compactMap { $0.map { Array($0.utf8) } })
        #expect(try items.allSatisfy { $0.path.parent == (try ProviderPath(hrefs.folder)) })
    }

    /// Nothing but being the first tells a rewritten folder, and only the folder tells how hrefs are encoded.
    private static let needsOrder = [
        "a path that a proxy rewrites", "a host alone in front", "encoded twice", "never encoded",
    ]

    @Test(arguments: HrefCase.all.filter { $0.name != nil && !needsOrder.contains($0.testDescription) })
    func `the order of the responses makes no difference where the folder can be told`(_ hrefs: HrefCase) async throws {
        let server = try FaultServer { _ in
            ScriptedReply.multistatus(hrefs.childResponse, ScriptedReply.response(hrefs.own, isFolder: true))
        }
        defer { server.stop() }
        let items = try await server.provider().contentsOfDirectory(path: ProviderPath(hrefs.folder))
        #expect(items.map { Array($0.path.nameBytes) } == [hrefs.name].compactMap { $0.map { Array($0.utf8) } })
    }

    @Test(arguments: HrefCase.all)
    func `attributes are those of the item asked for, however its href is written`(_ hrefs: HrefCase) async throws {
        let server = try FaultServer { _ in
            // Some servers answer for what lies in the folder, too, whatever depth was asked for.
            ScriptedReply.multistatus(ScriptedReply.response(hrefs.own, isFolder: true), hrefs.childResponse)
        }
        defer { server.stop() }
        let item = try await server.provider().attributesOfItem(path: ProviderPath(hrefs.folder))
        #expect(item.isDirectory)
        #expect(item.path == (try ProviderPath(hrefs.folder)))
    }

    @Test func `how often hrefs are encoded is learnt where it can be told, for folders where it cannot`() async throws
    {
        let server = try FaultServer { request in
            let folder = request.target.hasPrefix("/dav/x") ? "/dav/x%2520y/" : "/dav/plain/"
            return ScriptedReply.multistatus(
                ScriptedReply.response(folder, isFolder: true), ScriptedReply.response(folder + "a%2520b"))
        }
        defer { server.stop() }
        let provider = try server.provider()
        let plain = try ProviderPath("plain")
        #expect(try await provider.contentsOfDirectory(path: plain).map(\.name) == ["a%20b"])
        #expect(try await provider.contentsOfDirectory(path: ProviderPath("x y")).map(\.name) == ["a b"])
        #expect(try await provider.contentsOfDirectory(path: plain).map(\.name) == ["a b"])
    }

    @Test(arguments: [
        // The folder above, as a server gives it that resolves the path wrongly.
        ["/dav/", "/dav/folder/", "/dav/x"],
        // Another folder.
        ["/dav/other/", "/dav/other/x"],
        // One that ends alike, and what is not in it.
        ["/internal/folder/", "/elsewhere/x"],
        // No folder.
        ["/dav/folder/x"],
        [],
    ])
    func `the listing of another folder is an error, not an empty folder`(_ hrefs: [String]) async throws {
        let server = try FaultServer { _ in
            ScriptedReply.multistatus(hrefs.map { ScriptedReply.response($0, isFolder: $0.hasSuffix("/")) })
        }
        defer { server.stop() }
        let error = await #expect(throws: URLError.self) {
            try await server.provider().contentsOfDirectory(path: ProviderPath("folder"))
        }
        #expect(error?.code == .badServerResponse)
    }

    @Test func `an answer about another item is no answer`() async throws {
        let server = try FaultServer { _ in ScriptedReply.multistatus(ScriptedReply.response("/dav/other")) }
        defer { server.stop() }
        let error = await #expect(throws: URLError.self) {
            try await server.provider().attributesOfItem(path: ProviderPath("file"))
        }
        #expect(error?.code == .badServerResponse)
    }

    @Test func `an item that may not be looked at is there all the same, one that has gone is not`() async throws {
        let server = try FaultServer { _ in
            ScriptedReply.multistatus(
                ScriptedReply.response("/dav/", isFolder: true), ScriptedReply.failure("/dav/secret", 403),
                ScriptedReply.failure("/dav/gone", 404),
                ScriptedReply.response("/dav/file"))
        }
        defer { server.stop() }
        let items = try await server.provider().contentsOfDirectory(path: .root)
        #expect(items.map(\.name) == ["secret", "file"])
        #expect(items.map(\.type) == [.other, .regular])
    }

    @Test func `a folder whose own response is a refusal is refused`() async throws {
        let server = try FaultServer { _ in ScriptedReply.multistatus(ScriptedReply.failure("/dav/folder/", 403)) }
        defer { server.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await server.provider().contentsOfDirectory(path: ProviderPath("folder"))
        }
        #expect(error?.code == .fileReadNoPermission)
    }
}
