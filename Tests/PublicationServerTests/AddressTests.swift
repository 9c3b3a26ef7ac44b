import FileProviderCore
import Foundation
import Publication
@testable import PublicationServer
import SampleBooks
import Testing
import WebServer

private let remote = "https://web.example/a.mp3?x=1"

/// A book whose manifest tries to take the server's own addresses, and whose archive has odd names.
private func book() async throws -> ServedBook {
    var template = Link(href: "page{?number}", type: "text/html")
    template.templated = true
    var manifest = Manifest.of(
        [
            "c1.xhtml application/xhtml+xml", "\(remote) audio/mpeg", "a%20b.html text/html",
            "list.html?page=2 text/html",
        ],
        resources: [
            "~carrel/page.css text/css", "~readium/positions text/html", "~readium/own.html text/html",
            "manifest.json text/html", "file:///etc/passwd text/plain", "ftp://web.example/x text/plain",
        ])
    manifest.resources.append(template)
    manifest.links = [Link(href: "https://web.example/about", type: "text/html", rels: ["alternate"])]
    return try await ServedBook(manifest, remote: [remote: "sound", "https://web.example/secret": "secret"]) { zip in
        for name in [
            "c1.xhtml", "a b.html", "~carrel/page.css", "~carrel/other", "~readium/positions", "~readium/own.html",
            "~readium/hidden.html", "manifest.json", "unlisted/x.html", "100%.txt", "a%20b.txt", "what?.txt",
            "list.html", "page{?number}",
        ] {
            try zip.deflate(name, "file \(name)")
        }
    }
}

private func remotePath(_ href: String) -> String { ServedLinks.remotePrefix + Data(href.utf8).base64URL }

@Suite struct `An address below a publication` {
    @Test(arguments: [
        ("c1.xhtml", "file c1.xhtml"), ("c1.xhtml?v=2", "file c1.xhtml"), ("%631.xhtml", "file c1.xhtml"),
        ("a%20b.html", "file a b.html"), ("unlisted/x.html", "file unlisted/x.html"),
        ("unlisted/x.html?query=1", "file unlisted/x.html"), ("100%25.txt", "file 100%.txt"),
        ("100%.txt", "file 100%.txt"), ("a%2520b.txt", "file a%20b.txt"), ("what%3F.txt", "file what?.txt"),
        ("~readium/own.html", "file ~readium/own.html"),
    ])
    func `leads to a file of it`(path: String, content: String) async throws {
        let answer = try await book().answer(path)
        #expect(answer.status == 200)
        #expect(try await answer.text() == content)
    }

    @Test(arguments: [
        "../x", "a/../c1.xhtml", "a/./c1.xhtml", "./c1.xhtml", "%2e%2e/x", "a/%2E%2E/c1.xhtml", "a%2fb", "a%2Fc1.xhtml",
        "..%2f..%2fetc/passwd", "..%5c..%5cx", "a\\b", "c1.xhtml%00", "%00", "c1.xhtml%0d%0a", "c1.xhtml/", "/c1.xhtml",
        "//web.example/secret", "a//b", "http://web.example/secret", "http:%2f%2fweb.example/secret", "page{?number}",
        "{c1.xhtml}", "c1.xhtml#a", "~carrel", "~carrel/", "~carrel/remote", "~carrel/remote/", "%7Ecarrel/other",
        "~carrel/other", "~carrel/frame.js/..", "~readium", "~readium/hidden.html", "%7Ereadium/hidden.html",
        "~readium/search{?query}",
    ])
    func `never leads to a storage if it is none of a file`(path: String) async throws {
        let book = try await book()
        let answer = await book.answer(path)
        #expect(answer.status == 404)
        #expect(book.fetcher.asked.isEmpty)
        #expect(try await answer.text() == "There is no such file in this publication.\n")
    }

    /// A scheme is a name here, whatever it is on the web.
    @Test(arguments: ["http:x", "file:c1.xhtml", "javascript:alert(1)"])
    func `has no scheme`(path: String) async throws {
        let book = try await book()
        #expect(await book.answer(path).status == 404)
        #expect(book.fetcher.asked == [PercentEncoding.encoded(path.utf8)])
    }

    @Test func `keeps the server's names from the book`() async throws {
        let book = try await book()
        #expect(try await book.answer("~carrel/page.css").text() != "file ~carrel/page.css")
        #expect(try await book.answer("~readium/positions").text().hasPrefix("{"))
        #expect(try await book.answer("%7Ereadium/positions").text().hasPrefix("{"))
        #expect(try await book.answer("manifest.json").text().hasPrefix("{"))
        #expect(book.fetcher.asked.allSatisfy { !$0.hasPrefix("~") && $0 != "manifest.json" })
    }

    @Test func `has its query only where the manifest says so`() async throws {
        let book = try await book()
        for path in ["list.html?page=2", "list.html?page=2&~frame", "list.html?page=3", "c1.xhtml?~frame"] {
            #expect(await book.answer(path).status == 200)
        }
        #expect(book.fetcher.asked == ["list.html?page=2", "list.html?page=2", "list.html", "c1.xhtml"])
    }

    @Test func `leads to the web only for the manifest's resources`() async throws {
        let book = try await book()
        let answer = await book.answer(remotePath(remote), [("Range", "bytes=0-2")])
        #expect(answer.status == 206 && answer.header("Content-Type") == "audio/mpeg")
        #expect(try await answer.text() == "sou")
        #expect(book.fetcher.asked == [remote])
        for href in [
            "https://web.example/secret", "https://web.example/about", "file:///etc/passwd", "ftp://web.example/x",
            "c1.xhtml", "https://web.example/a.mp3", "",
        ] {
            #expect(await book.answer(remotePath(href)).status == 404, "\(href)")
        }
        #expect(await book.answer(remotePath(remote) + "/x").status == 404)
        #expect(await book.answer(ServedLinks.remotePrefix + "***").status == 404)
        #expect(book.fetcher.asked == [remote])
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "get"])
    func `is only read`(method: String) async throws {
        let answer = try await book().answer("c1.xhtml", method: method)
        #expect(answer.status == 405 && answer.header("Allow") == "GET, HEAD")
    }
}

@Suite struct `A refusal` {
    private static let errors: [(any Error, Int)] = [
        (FileError.make(.fileReadNoSuchFile, path: "/shelf/a"), 404),
        (FileError.make(.fileReadNoPermission, path: "/shelf/a"), 403),
        (FileError.make(URLError.Code.userAuthenticationRequired, url: nil, sentence: "at nas.example"), 403),
        (FileError.make(.fileReadInvalidFileName, path: "/shelf/a"), 400),
        (FileError.make(.formatting, path: "/shelf/a"), 400),
        (FileError.make(URLError.Code.timedOut, url: nil, sentence: "at nas.example"), 504),
        (FileError.make(URLError.Code.networkConnectionLost, url: nil, sentence: "at nas.example"), 502),
        (FileError.make(URLError.Code.resourceUnavailable, url: nil, sentence: "at nas.example"), 502),
        (FileError.make(.fileReadCorruptFile, path: "/shelf/a"), 500),
        (FileError.make(.fileReadTooLarge, path: "/shelf/a"), 500),
        (FileError.make(.featureUnsupported, path: "/shelf/a"), 500), (CancellationError(), 500),
    ]

    @Test(arguments: errors.indices)
    func `says what is wrong, and nothing of the storage`(index: Int) async throws {
        let (error, status) = Self.errors[index]
        let resource = ProxyFetcher(resource: { FailureResource($0, error: error) })
        let context = ServedBook.context(Publication(manifest: .of(["a text/plain"]), fetcher: resource))
        for headers in [[], [(name: "Range", value: "bytes=0-1")]] {
            let answer = await context.answer("a", headers)
            #expect(answer.status == status)
            #expect(answer.header("Content-Type") == "text/plain; charset=utf-8")
            #expect(answer.header("Cache-Control") == "no-store")
            let text = try await answer.text()
            #expect(text.count > 20 && !text.contains("shelf") && !text.contains("nas.example"))
        }
        let head = await context.answer("a", method: "HEAD")
        #expect(head.status == status && !head.hasBody)
    }

    @Test func `comes for a damaged file before anything of it`() async throws {
        let book = try await ServedBook(.of(["a.txt text/plain"])) { zip in
            var options = ZIPBuilder.Options()
            options.claimedChecksum = 3
            try zip.add("a.txt", Data("damaged".utf8), options)
        }
        let answer = await book.answer("a.txt")
        #expect(answer.status == 500)
        #expect(answer.header("Content-Type") == "text/plain; charset=utf-8")
    }
}
