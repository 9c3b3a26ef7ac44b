import FileProviderCore
import Foundation
import Testing

/// Lists a given number of pages, then ends or fails.
private final class Pages: FileProviderBasic {
    static let type = "Pages"
    let baseURL: URL?
    private let names: [[String]]
    private let failure: (any Error)?
    let given = CollectedValues<Int>()

    init(_ names: [[String]], failure: (any Error)? = nil, baseURL: URL? = nil) {
        self.names = names
        self.failure = failure
        self.baseURL = baseURL
    }

    func capabilities() async throws -> Capabilities { Capabilities(readCost: .local) }

    func attributesOfItem(path: ProviderPath) async throws -> FileObject { FileObject(path: path, type: .directory) }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        for (number, names) in names.enumerated() {
            given.append(number)
            try await page(names.map { FileObject(path: try path.appending($0), type: .regular) })
        }
        if let failure { throw failure }
    }
}

@Suite struct ListingTests {
    @Test func `pages come one by one, and the storage waits for whoever reads them`() async throws {
        let provider = Pages((0..<100).map { ["\($0)"] })
        var seen: [String] = []
        for try await page in provider.pages(ofDirectory: .root) {
            seen += page.map(\.name)
            #expect(provider.given.values.count <= seen.count + 1)
        }
        #expect(seen == (0..<100).map { "\($0)" })
    }

    @Test func `leaving the loop early ends the listing`() async throws {
        let provider = Pages((0..<100).map { ["\($0)"] })
        for try await page in provider.pages(ofDirectory: .root) where page.first?.name == "3" { break }
        #expect(provider.given.values.count <= 6)
    }

    @Test func `a listing that fails half way gives what came, and the error`() async throws {
        let provider = Pages([["a"], ["b"]], failure: URLError(.networkConnectionLost))
        let listing = await provider.listing(path: .root)
        #expect(
            listing.contents.map(\.name) == ["a", "b"] && (listing.error as? URLError)?.code == .networkConnectionLost)
        var seen: [String] = []
        await #expect(throws: URLError.self) {
            for try await page in provider.pages(ofDirectory: .root) { seen += page.map(\.name) }
        }
        #expect(seen == ["a", "b"])
        await #expect(throws: URLError.self) { try await provider.contentsOfDirectory(path: .root) }
    }

    @Test func `a task that is cancelled while it waits for a page ends at once`() async throws {
        let never = Signal()
        let values = PushedValues<Int> { _ in try await never.wait() }
        let task = Task { for try await _ in values {} }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [
        ("b.txt", "b.txt"), ("a.txt", "a 2.txt"), ("c 2.txt", "c 5.txt"), ("d", "d 2"), (".hidden", ".hidden 2"),
        ("e.tar.gz", "e.tar 2.gz"),
        ("f 1.txt", "f 1 2.txt"), ("g 9223372036854775807", "g 9223372036854775807 2"),
    ])
    func `a name that is taken gets the next free number`(_ name: String, _ free: String) async throws {
        let taken = [
            "a.txt", "c 2.txt", "c 3.txt", "c 4.txt", "d", ".hidden", "e.tar.gz", "f 1.txt", "g 9223372036854775807",
        ]
        let provider = Pages([taken])
        let folder = try ProviderPath("/x")
        #expect(try await provider.fileByUniqueName(folder.appending(name)) == folder.appending(free))
    }

    @Test(arguments: [nil, "file:///", "dav://user@Host.example:8080/base%20folder/", "mem://memory", "file:///a%25b/"])
    func `every path goes into a URL and comes back`(_ base: String?) async throws {
        let provider = Pages([], baseURL: base.flatMap { URL(string: $0) })
        let names: [String] = [
            "a", "a b", "a%20b", "%", "%41", "a?b#c", "a;b=c,d", "ü", "u\u{308}", "📚", "\u{1}\n\r\t", "a:b", "..a", "…",
            "~", "a\\b",
            "'\"<>&",
        ]
        for name in names {
            let path = try ProviderPath("/").appending(name).appending("x")
            #expect(try provider.relativePath(of: provider.url(of: path)) == path)
        }
        let raw = try ProviderPath(bytes: [0x66, 0xFF, 0xC3, 0x2F, 0x80])
        #expect(try provider.relativePath(of: provider.url(of: raw)) == raw)
        #expect(try provider.relativePath(of: provider.url(of: .root)) == .root)
        #expect(provider.relativePathOf(url: provider.url(of: raw)) == raw.string)
    }

    @Test func `a URL of another place is no path of this provider`() throws {
        let provider = Pages([], baseURL: URL(string: "dav://host/base"))
        for text in [
            "davs://host/base/a", "dav://other/base/a", "dav://host:81/base/a", "dav://host/basement", "dav://host/",
            "/base/a",
        ] {
            #expect(throws: URLError.self) { try provider.relativePath(of: #require(URL(string: text))) }
            #expect(provider.relativePathOf(url: try #require(URL(string: text))) == nil)
        }
    }
}
