import FaultServer
import FileProviderCore
import Foundation
import PredicateFormat
import SafeXML
import Testing

@testable import WebDAVFileProvider

/// Searches against a server that is scripted by RFC 5323 and the documentation of Nextcloud; neither a Nextcloud nor
/// any other server that searches was at hand.
@Suite struct SearchTests {
    private let double = SearchDouble(items: [
        .init(path: "a/"), .init(path: "a/report 1.txt", size: 10), .init(path: "a/report_2.TXT", size: 2000),
        .init(path: "a/b/"),
        .init(path: "a/b/report-3.txt", size: 3000, modified: Date(timeIntervalSince1970: 1_750_000_000)),
        .init(path: "a/b/cafe\u{301}.pdf", size: 5000, type: "application/pdf"), .init(path: "a/.hidden"),
        .init(path: "z.txt"),
    ])

    private func cloud(
        dav: String = "1, 3, nextcloud-checksum-update", dasl: String? = nil, _ double: SearchDouble,
        search: @escaping @Sendable (FaultServer.Request) -> FaultServer.Answer?
    ) throws -> FaultServer {
        try FaultServer { request in
            if request.method == "OPTIONS" {
                return .reply(200, headers: ["DAV": dav].merging(dasl.map { ["DASL": $0] } ?? [:]) { $1 })
            }
            return (request.method == "SEARCH" ? search(request) : nil) ?? double.answer(request)
        }
    }

    private func searches(_ server: FaultServer) -> [FaultServer.Request] {
        server.requests.filter { $0.method == "SEARCH" }
    }

    @Test(arguments: [
        "name LIKE 'report*.txt'", "name LIKE[c] 'report*.txt'", "name BEGINSWITH 'report' AND size > 1000",
        "name CONTAINS '_'", "name == 'caf\u{E9}.pdf'", "size >= 2000 OR name == 'z.txt'",
        "NOT (type == 'directory') AND size < 100",
        "type == 'directory'", "name BEGINSWITH '.'", "mimeType == 'application/pdf'",
    ])
    func `one request finds what listing every folder finds`(_ text: String) async throws {
        let query = try FileQuery(format: text)
        let server = try cloud(double) { _ in nil }
        defer { server.stop() }
        let provider = try server.provider(base: "remote.php/dav/files/ada/")
        for folder in [try ProviderPath("a"), .root] {
            let found = CollectedValues<FileObject>()
            try await provider.searchByListing(path: folder, recursive: true, query: query) { found.append($0) }
            let before = searches(server).count
            let listed = server.requests.count
            let searched = try await provider.searchFiles(path: folder, recursive: true, query: query)
            #expect(Set(searched.map(\.path)) == Set(found.values.map(\.path)))
            #expect(!searched.isEmpty)
            #expect(searches(server).count == before + 1)
            #expect(server.requests.count <= listed + 3)
        }
    }

    @Test func `Nextcloud is asked at the root of its WebDAV, with the folder as its documentation writes it`()
        async throws
    {
        let server = try cloud(double) { _ in nil }
        defer { server.stop() }
        let provider = try server.provider(base: "remote.php/dav/files/ada/")
        _ = try await provider.searchFiles(path: ProviderPath("a/b"), recursive: true, query: .name(.like("*.pdf")))
        let request = try #require(searches(server).first)
        #expect(request.target == "/remote.php/dav/")
        let document = try XMLElement.parse(request.body)
        #expect(document.matches("searchrequest", "DAV:"))
        #expect(document.descendants("scope", namespace: "DAV:").first?.first("href")?.text == "/files/ada/a/b")
        #expect(document.descendants("depth", namespace: "DAV:").first?.text == "infinity")
        // It refuses properties that it does not know.
        #expect(document.descendants("select").first?.descendants("creationdate").isEmpty == true)
    }

    @Test func `any server that offers it is asked at the folder, for what every server compares alike`() async throws {
        var double = double
        double.root = "/dav/"
        let server = try cloud(dav: "1, 2", dasl: "<DAV:basicsearch>", double) { _ in nil }
        defer { server.stop() }
        let provider = try server.provider(base: "dav/")
        let query = FileQuery.size(.greater(1000)) && .name(.begins("report"))
        let found = try await provider.searchFiles(path: ProviderPath("a"), recursive: true, query: query)
        #expect(Set(found.map(\.name)) == ["report_2.TXT", "report-3.txt"])
        let request = try #require(searches(server).first)
        #expect(request.target == "/dav/a/")
        #expect(try XMLElement.parse(request.body).descendants("href").first?.text == "/dav/a/")
        // What an item is displayed as need not be its name.
        #expect(try XMLElement.parse(request.body).descendants("displayname").isEmpty)
        _ = try await provider.searchFiles(path: ProviderPath("a"), recursive: true, query: .name(.begins("report")))
        #expect(searches(server).count == 1)
    }

    @Test func `what the server gives too much, twice, or from elsewhere is not found`() async throws {
        let extra = [
            ScriptedReply.response("/remote.php/dav/files/ada/other/report.txt"),
            ScriptedReply.response("/remote.php/dav/files/ada/a/"),
            ScriptedReply.response("/remote.php/dav/files/ada/a/report%201.txt", size: 10),
            ScriptedReply.response("/x/report.txt"),
            ScriptedReply.response("/remote.php/dav/files/ada/a/..%2Freport.txt"),
            ScriptedReply.response("/remote.php/dav/files/ada/a/image.png"),
            ScriptedReply.failure("/remote.php/dav/files/ada/a/report.txt", 403),
        ]
        let server = try cloud(double) { [double] in double.answer($0, extra: extra) }
        defer { server.stop() }
        let provider = try server.provider(base: "remote.php/dav/files/ada/")
        let found = try await provider.searchFiles(
            path: ProviderPath("a"), recursive: true, query: .name(.glob("report*.txt")))
        #expect(found.map(\.path.string).sorted() == ["/a/b/report-3.txt", "/a/report 1.txt"])
    }

    @Test(arguments: [400, 405, 422, 501, 207])
    func `a search that is refused, or cut short, goes on by listing, and nothing is found twice`(_ status: Int)
        async throws
    {
        let server = try cloud(double) { [double] request in
            if status != 207 { return .reply(status) }
            return ScriptedReply.multistatus(
                ScriptedReply.response("/remote.php/dav/files/ada/a/report%201.txt", size: 10),
                ScriptedReply.failure("/remote.php/dav/", 507), double.items.isEmpty ? "" : "")
        }
        defer { server.stop() }
        let provider = try server.provider(base: "remote.php/dav/files/ada/")
        for _ in 0..<2 {
            let found = try await provider.searchFiles(path: .root, recursive: true, query: .name(.like("report*")))
            #expect(found.map(\.name).sorted() == ["report 1.txt", "report-3.txt", "report_2.TXT"])
        }
        // Who cannot search is not asked again.
        #expect(searches(server).count == ([405, 501].contains(status) ? 1 : 2))
    }

    @Test func `what is found where nobody can tell is looked for by listing`() async throws {
        let server = try cloud(double) { _ in
            ScriptedReply.multistatus(ScriptedReply.response("/internal/a/report%201.txt", size: 10))
        }
        defer { server.stop() }
        let provider = try server.provider(base: "remote.php/dav/files/ada/")
        let found = try await provider.searchFiles(
            path: ProviderPath("a"), recursive: true, query: .name(.like("report*")))
        #expect(found.map(\.name).sorted() == ["report 1.txt", "report-3.txt", "report_2.TXT"])
    }

    @Test func `the error of whoever takes what is found ends the search`() async throws {
        struct Enough: Error {}
        let server = try cloud(double) { _ in nil }
        defer { server.stop() }
        let provider = try server.provider(base: "remote.php/dav/files/ada/")
        await #expect(throws: Enough.self) {
            try await provider.searchFiles(path: .root, recursive: true, query: .name(.like("report*"))) { _ in
                throw Enough()
            }
        }
        // The look at the root is for the question what the server is.
        #expect(server.requests.allSatisfy { $0.method != "PROPFIND" || $0.headers["depth"] == "0" })
    }

    @Test(arguments: [
        ("1, 2", Optional<String>.none), ("1, 2", "<http://example.com/search>"),
        ("1, 3, nextcloud-checksum-update", nil),
    ])
    func `where no search is offered, or the folder is none of the user's, none is sent`(_ dav: String, _ dasl: String?)
        async throws
    {
        var double = double
        double.root = "/dav/"
        let server = try cloud(dav: dav, dasl: dasl, double) { _ in nil }
        defer { server.stop() }
        let found = try await server.provider().searchFiles(path: .root, recursive: true, query: .size(.greater(2500)))
        #expect(found.count == 2)
        #expect(searches(server).isEmpty)
    }

    @Test(arguments: [
        FileQuery.all, .not(.size(.greater(1))), .path(.contains("x")), .matching { _ in true }, .name(.like("*")),
    ])
    func `a query of which the server could leave nothing out is not sent`(_ query: FileQuery) async throws {
        #expect(BasicSearch(query, .nextcloud) == .everything)
    }

    // MARK: Never less than the query matches

    @Test(arguments: 0..<200)
    func `a translated query leaves out nothing that the query matches`(_ seed: Int) throws {
        var numbers = Numbers(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        let double = SearchDouble(items: [])
        for _ in 0..<20 {
            let query = numbers.query(depth: 3)
            let dialect = numbers.next(2) == 0 ? BasicSearch.Dialect.nextcloud : BasicSearch.Dialect()
            let search = BasicSearch(query, dialect)
            let condition: XMLElement? =
                if case .condition(let text, _) = search {
                    try XMLElement.parse(
                        Data("<D:x xmlns:D='DAV:' xmlns:oc='http://owncloud.org/ns'>\(text)</D:x>".utf8)
                    ).children.first
                } else { nil }
            for _ in 0..<20 {
                let item = numbers.item()
                guard try query.evaluate(item.object) else { continue }
                let isAsked =
                    search == .everything || condition.map { double.holds($0, for: item.shown) == true } ?? false
                #expect(isAsked, "\(query.description) → \(search) leaves out \(item.shown)")
            }
        }
    }

    /// Queries and items from a number, so that a failure comes again.
    private struct Numbers {
        var state: UInt64
        private static let texts = [
            "a", "b.txt", "A", "\u{E9}", "e\u{301}", "a_b", "100%", ".x", "k", "\u{212A}", "b*", "[ab]c", "a\\*",
            "?.txt", "ß", "",
        ]

        mutating func next(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }

        mutating func text() -> String { Self.texts[next(Self.texts.count)] }

        mutating func match() -> TextMatch {
            let kinds: [TextMatch.Kind] = [.equals, .begins, .ends, .contains, .like, .glob]
            return TextMatch(
                kinds[next(kinds.count)], text() + (next(2) == 0 ? text() : ""),
                options: TextMatch.Options(rawValue: next(4)))
        }

        mutating func comparison<Value>(_ value: Value) -> FileQuery.Comparison<Value> {
            switch next(5) {
            case 0: .equal(value)
            case 1: .less(value)
            case 2: .atMost(value)
            case 3: .greater(value)
            default: .atLeast(value)
            }
        }

        mutating func date() -> Date { Date(timeIntervalSince1970: 1_700_000_000 + Double(next(6)) / 2) }

        mutating func query(depth: Int) -> FileQuery {
            switch next(depth == 0 ? 8 : 12) {
            case 0: .name(match())
            case 1: .mimeType(.begins(next(2) == 0 ? "text/" : "x"))
            case 2: .size(comparison(Int64(next(4))))
            case 3: .modified(comparison(date()))
            case 4: .type([.regular, .directory, .symbolicLink, .other][next(4)])
            case 5: next(2) == 0 ? .hidden : .all
            case 6: .path(.contains("a"))
            case 7: next(2) == 0 ? .none : .known(.fileSize)
            case 8: .not(query(depth: depth - 1))
            case 9: .and((0..<next(4)).map { _ in query(depth: depth - 1) })
            default: .or((0..<next(4)).map { _ in query(depth: depth - 1) })
            }
        }

        mutating func item() -> (object: FileObject, shown: SearchDouble.Item) {
            let name = "n" + text() + text()
            let isFolder = next(3) == 0
            let shown = SearchDouble.Item(
                path: (next(2) == 0 ? String(name.dropFirst()) : name) + (isFolder ? "/" : ""), size: next(4),
                modified: Date(timeIntervalSince1970: 1_700_000_000 + Double(next(3))), type: "text/plain")
            let usable = shown.name.isEmpty ? "n" : shown.name
            var object = FileObject(path: .root, type: isFolder ? .directory : .regular)
            object.name = usable
            object.size = isFolder ? nil : Int64(shown.size)
            object.modifiedDate = shown.modified
            object.mimeType = isFolder ? nil : shown.type
            var item = shown
            item.path = usable + (isFolder ? "/" : "")
            return (object, item)
        }
    }
}
