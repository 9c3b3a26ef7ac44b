import FaultServer
import FileProviderCore
import Foundation
import Testing
import WebDAVFileProvider

/// Forms of hrefs that RFC 4918 does not know and servers have, and names that no file can have.
@Suite struct HrefFormTests {
    private static let names = ["a b.txt", "x+y.txt", "t #&?3.txt", "[r].txt", "München.txt", "100%.txt", "what?"]

    /// How a server writes a path.
    enum Form: String, CaseIterable, Sendable {
        case encoded, unencoded, slashesToo, absolute, absoluteUnencoded, absoluteEncoded, bare, relative

        func href(_ path: String, _ encode: (String) -> String) -> String {
            switch self {
            case .encoded: encode(path)
            case .unencoded: path.replacing("&", with: "&amp;")
            case .slashesToo: encode(path).replacing("/", with: "%2F")
            case .absolute: "http://127.0.0.1" + encode(path)
            case .absoluteUnencoded: "http://otherhost.example:4443" + path.replacing("&", with: "&amp;")
            case .absoluteEncoded: "http%3A%2F%2Fotherhost.example" + encode(path).replacing("/", with: "%2f")
            case .bare: String(encode(path).dropFirst())
            case .relative: path == "/dav/folder/" ? "./" : encode(String(path.dropFirst("/dav/folder/".count)))
            }
        }
    }

    private static func encode(_ path: String) -> String {
        path.addingPercentEncoding(
            withAllowedCharacters: CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789./")) ?? path
    }

    @Test(arguments: Form.allCases, [true, false])
    func `every name is found, however its href is written, and read`(_ form: Form, isFirst: Bool) async throws {
        let server = try FaultServer { request in
            if request.method == "GET" {
                return .reply(200, body: Data((request.target.removingPercentEncoding ?? "").utf8))
            }
            let own = ScriptedReply.response(form.href("/dav/folder/", Self.encode), isFolder: true)
            let items = Self.names.map { ScriptedReply.response(form.href("/dav/folder/\($0)", Self.encode)) }
            return ScriptedReply.multistatus(isFirst ? [own] + items : items + [own])
        }
        defer { server.stop() }
        // Nothing but its place tells the item's own href from a relative one.
        if form == .bare, !isFirst { return }
        let provider = try server.provider()
        let items = try await provider.contentsOfDirectory(path: ProviderPath("folder"))
        #expect(Set(items.map(\.name)) == Set(Self.names))
        for item in items {
            let body = try await provider.contents(path: item.path)
            #expect(String(decoding: body, as: UTF8.self) == "/dav/folder/\(item.name)")
        }
    }

    @Test(arguments: Form.allCases) func `an item is found, however its href is written`(_ form: Form) async throws {
        let server = try FaultServer { _ in
            ScriptedReply.multistatus(ScriptedReply.response(form.href("/dav/folder/t #&?3.txt", Self.encode)))
        }
        defer { server.stop() }
        let path = try ProviderPath("folder/t #&?3.txt")
        #expect(try await server.provider().attributesOfItem(path: path).path == path)
    }

    @Test(arguments: [
        ("/dav/folder/..", ".."), ("/dav/folder/%2e%2E", ".."), ("/dav/folder/a%2Fb", "a/b"),
        ("/dav/folder/a%00b", "a\u{0}b"),
        ("/dav/folder//", ""),
        ("/dav/folder/good", "good"),
    ])
    func `a name that no file can have, or that comes twice, is left out, counted and named`(
        _ href: String, _ name: String
    ) async throws {
        let server = try FaultServer { _ in
            ScriptedReply.multistatus(
                ScriptedReply.response("/dav/folder/", isFolder: true), ScriptedReply.response("/dav/folder/good"),
                ScriptedReply.response(href, isFolder: href.hasSuffix("good")),
                ScriptedReply.response("/dav/folder/last"))
        }
        defer { server.stop() }
        let provider = try server.provider()
        let names = LockedValue<[String]>([])
        let error = await #expect(throws: CocoaError.self) {
            try await provider.contentsOfDirectory(path: ProviderPath("folder")) { items in
                names.update { $0 += items.map(\.name) }
            }
        }
        #expect(names.value == ["good", "last"])
        #expect(error?.unusableNames?.count == 1)
        #expect(error?.unusableNames?.first == name)
        let items = try await provider.contentsOfDirectory(path: ProviderPath("folder"))
        #expect(items.map(\.type) == [.regular, .regular])
    }

    @Test func `XML that is not well-formed is the server's fault, and is said to be`() async throws {
        let server = try FaultServer { _ in
            ScriptedReply.multistatus(
                ScriptedReply.response("/dav/", isFolder: true), ScriptedReply.response("/dav/this & that"))
        }
        defer { server.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await server.provider().contentsOfDirectory(path: .root)
        }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(error?.sentence.contains("The server “127.0.0.1” is at fault") == true)
    }

    @Test func `a tag that no header may hold is none`() async throws {
        let server = try FaultServer { _ in
            ScriptedReply.multistatus(
                ScriptedReply.response("/dav/", isFolder: true),
                ScriptedReply.response("/dav/f", properties: "<D:getetag>\"a&#13;&#10;X-Evil: 1\"</D:getetag>"))
        }
        defer { server.stop() }
        #expect(try await server.provider().contentsOfDirectory(path: .root).map(\.entryTag) == [nil])
    }
}
