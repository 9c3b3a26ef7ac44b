import FileProviderCore
import Foundation
import ProviderDoubles
import Publication
@testable import PublicationServer
import SampleBooks
import Testing
import WebServer

private let chapterType = "application/xhtml+xml"
private let sound = SampleText.noise(500_000)

/// A chapter, a style sheet, a picture and sound, deflated and stored.
private func book(origins: [String] = [], version: String? = "1") async throws -> ServedBook {
    let manifest = Manifest.of(
        ["c1.xhtml \(chapterType)"],
        resources: ["sound.mp3 audio/mpeg", "packed.mp3 audio/mpeg", "cover.png image/png"])
    return try await ServedBook(manifest, origins: origins, version: version) { zip in
        try zip.deflate("c1.xhtml", SampleText.chapter)
        try zip.store("sound.mp3", sound)
        try zip.add("packed.mp3", sound)
        try zip.add("cover.png", SampleText.noise(300))
        try zip.deflate("style.css", "p { margin: 0 }")
        try zip.add("large.txt", Data(String(repeating: "It was warm. ", count: 40_000).utf8))
        try zip.store("font.otf", SampleText.noise(200))
        try zip.store("empty.txt", Data())
    }
}

@Suite struct `A resource` {
    @Test func `is answered with its type, length and a strong tag, by one look-up`() async throws {
        let book = try await book()
        let answer = await book.answer("c1.xhtml")
        #expect(answer.status == 200)
        #expect(try await answer.text() == SampleText.chapter)
        #expect(answer.header("Content-Type") == chapterType)
        #expect(answer.header("Accept-Ranges") == "bytes")
        #expect(answer.header("Cache-Control") == "private, no-cache")
        #expect(answer.header("Vary") == "Accept-Encoding")
        let tag = try #require(answer.header("ETag"))
        #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        #expect(answer.header("Content-Security-Policy")?.contains("sandbox") == true)
        #expect(book.fetcher.asked == ["c1.xhtml"])
    }

    @Test func `has a tag for each version of the file, and none where the storage knows no version`() async throws {
        let names = ["c1.xhtml", "sound.mp3", "c1.xhtml?~frame"]
        var tags = Set<String>()
        for version in ["1", "1", "2", "W/1"] {
            let book = try await book(version: version)
            for name in names { tags.insert(try #require(await book.answer(name).header("ETag"))) }
        }
        #expect(tags.count == 3 * names.count)
        let book = try await book(version: nil)
        for name in names {
            let answer = await book.answer(name, [("Range", "bytes=5-9"), ("If-Range", try #require(tags.first))])
            #expect(answer.status == 200 && answer.header("ETag") == nil)
        }
    }

    @Test(arguments: [
        ("bytes=0-9", 0..<10), ("bytes=5-", 5..<500_000), ("bytes=-7", 499_993..<500_000),
        ("bytes=499999-600000", 499_999..<500_000), ("bytes=-900000", 0..<500_000), ("BYTES=3-3", 3..<4),
        ("bytes=100-400000", 100..<400_001),
    ])
    func `is answered in part`(range: String, expected: Range<Int>) async throws {
        for name in ["sound.mp3", "packed.mp3"] {
            let answer = try await book().answer(name, [("Range", range)])
            #expect(answer.status == 206)
            #expect(
                answer.header("Content-Range") == "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/500000")
            #expect(try await answer.bytes() == sound[expected], "\(name), \(range)")
        }
    }

    @Test(arguments: ["bytes=0-1,5-6", "bytes=9-3", "lines=0-1", "bytes=", "bytes=a-b", "bytes 0-1"])
    func `is answered whole to several ranges, and to what is none`(range: String) async throws {
        let answer = try await book().answer("sound.mp3", [("Range", range)])
        #expect(answer.status == 200 && answer.header("Content-Range") == nil)
        #expect(try await answer.bytes() == sound)
    }

    @Test(arguments: ["bytes=500000-", "bytes=-0"])
    func `has no range behind its end`(range: String) async throws {
        let answer = try await book().answer("sound.mp3", [("Range", range)])
        #expect(answer.status == 416)
        #expect(answer.header("Content-Range") == "bytes */500000")
    }

    @Test(arguments: ["bytes=0-", "bytes=-1", "bytes=0-0"])
    func `without a byte is answered whole to each range`(range: String) async throws {
        let answer = try await book().answer("empty.txt", [("Range", range)])
        #expect(answer.status == 200 && answer.header("Content-Range") == nil)
        #expect(try await answer.bytes().isEmpty)
    }

    @Test func `costs the storage a range and nothing for its length`() async throws {
        let book = try await book()
        _ = try await book.answer("sound.mp3", [("Range", "bytes=0-9")]).bytes()
        let requests = book.reader.requests.count
        let bytes = try await book.bytesRead {
            let answer = await book.answer("sound.mp3", [("Range", "bytes=300000-304095")])
            let part = try await answer.bytes()
            #expect(part == sound[300_000..<304_096])
        }
        #expect(book.reader.requests.count == requests + 1)
        #expect(bytes < 100_000)
    }

    @Test(arguments: ["c1.xhtml", "sound.mp3", "packed.mp3", "empty.txt"])
    func `is described without being read`(name: String) async throws {
        let book = try await book()
        let gzip = [(name: "Accept-Encoding", value: "gzip")]
        var head = ServerResponse(status: 0)
        let bytes = await book.bytesRead { head = await book.answer(name, method: "HEAD", gzip) }
        #expect(bytes == 0)
        #expect(!head.hasBody)
        let whole = await book.answer(name, gzip)
        #expect(head.contentLength == Int64(try await whole.bytes().count))
        #expect(head.status == 200)
        #expect(head.headers.map { "\($0.name): \($0.value)" } == whole.headers.map { "\($0.name): \($0.value)" })
    }

    @Test func `is not sent to a client that has it, and not read`() async throws {
        let book = try await book()
        for headers in [[], [(name: "Accept-Encoding", value: "gzip")]] {
            let tag = try #require(await book.answer("c1.xhtml", headers).header("ETag"))
            for value in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let bytes = await book.bytesRead {
                    let answer = await book.answer("c1.xhtml", headers + [(name: "If-None-Match", value: value)])
                    #expect(answer.status == 304 && !answer.hasBody)
                    #expect(answer.header("ETag") == tag)
                    #expect(answer.header("Vary") == "Accept-Encoding")
                }
                #expect(bytes == 0)
            }
        }
        #expect(await book.answer("c1.xhtml", [("If-None-Match", "\"other\"")]).status == 200)
        #expect(await book.answer("c1.xhtml", [("If-Match", "\"other\"")]).status == 412)
    }

    @Test func `goes on where it ended only if it is the same`() async throws {
        let book = try await book()
        let tag = try #require(await book.answer("sound.mp3", method: "HEAD").header("ETag"))
        let range = (name: "Range", value: "bytes=10-19")
        #expect(await book.answer("sound.mp3", [range, ("If-Range", tag)]).status == 206)
        #expect(await book.answer("sound.mp3", [range, ("If-Range", "\"other\"")]).status == 200)
        #expect(await book.answer("sound.mp3", [range, ("If-Range", "Sun, 29 Nov 2026 08:00:00 GMT")]).status == 200)
    }

    @Test(arguments: [
        ("c1.xhtml", chapterType), ("style.css", "text/css"), ("large.txt", "text/plain"), ("font.otf", "font/otf"),
        ("cover.png", "image/png"), ("sound.mp3", "audio/mpeg"),
    ])
    func `has the manifest's type, or that of its name`(name: String, type: String) async throws {
        #expect(try await book().answer(name).header("Content-Type") == type)
    }

    @Test func `is closed when it is sent, and when it never is`() async throws {
        let closed = LockedValue(0)
        let count = Int(ResourceAnswer.heldLength) + 1
        let fetcher = ProxyFetcher(resource: { link in
            ClosingResource(BytesResource(link, data: Data(count: count)), closed: closed)
        })
        let context = ServedBook.context(Publication(manifest: .of(["a text/plain"]), fetcher: fetcher))
        let answer = await context.answer("a")
        #expect(answer.isStreamed && closed.value == 0)
        #expect(try await answer.bytes().count == count)
        #expect(closed.value == 1)
        _ = await context.answer("a", method: "HEAD")
        _ = await context.answer("a", [("Range", "bytes=0-1")])
        #expect(closed.value == 3)
        _ = await context.answer("a")
        try await eventually { closed.value >= 4 }
    }
}

/// A resource that counts how often it is closed.
private final class ClosingResource: Resource {
    private let base: any Resource
    private let closed: LockedValue<Int>

    init(_ base: any Resource, closed: LockedValue<Int>) {
        self.base = base
        self.closed = closed
    }

    var link: Link { base.link }

    func length() async throws -> Int64 { try await base.length() }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        try await base.stream(range, into: sink)
    }

    func close() async { closed.update { $0 += 1 } }
}

@Suite struct `The compressed answer` {
    private static let gzip = [(name: "Accept-Encoding", value: "gzip, deflate, br")]

    @Test(arguments: ["c1.xhtml", "large.txt"])
    func `is the archive's own data in a frame of gzip`(name: String) async throws {
        let book = try await book()
        let plain = await book.answer(name)
        let content = try await plain.bytes()
        let answer = await book.answer(name, Self.gzip)
        #expect(answer.status == 200)
        #expect(answer.header("Content-Encoding") == "gzip")
        #expect(answer.header("Vary") == "Accept-Encoding")
        #expect(answer.header("Content-Type") == plain.header("Content-Type"))
        #expect(answer.header("ETag") != plain.header("ETag"))
        let bytes = try await answer.bytes()
        #expect(bytes.prefix(4) == Data([0x1F, 0x8B, 8, 0]))
        #expect(bytes.dropFirst(10).dropLast(8) == Deflate.pack(content))
        let trailer = [Deflate.checksum(content), UInt32(content.count)].flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
        }
        #expect(bytes.suffix(8) == Data(trailer))
    }

    @Test func `is streamed when it is long`() async throws {
        let text = Data(SampleText.noise(200_000).flatMap { Array(String($0, radix: 16).utf8) })
        let book = try await ServedBook(.of(["a.txt text/plain"])) { try $0.add("a.txt", text) }
        let answer = await book.answer("a.txt", Self.gzip)
        let packed = Deflate.pack(text)
        #expect(packed.count > Int(ResourceAnswer.heldLength), "the sample is long enough")
        #expect(answer.isStreamed)
        #expect(try await answer.bytes().dropFirst(10).dropLast(8) == packed)
    }

    @Test(arguments: ["sound.mp3", "packed.mp3", "cover.png", "font.otf"])
    func `is never one of sound and pictures, or of what is stored`(name: String) async throws {
        let answer = try await book().answer(name, Self.gzip)
        #expect(answer.header("Content-Encoding") == nil)
        #expect(answer.header("Vary")?.contains("Accept-Encoding") != true)
    }

    @Test(arguments: [nil, "identity", "gzip;q=0", "br"])
    func `is not sent to those who do not take it`(accepted: String?) async throws {
        let headers = accepted.map { [(name: "Accept-Encoding", value: $0)] } ?? []
        let answer = try await book().answer("c1.xhtml", headers)
        #expect(answer.header("Content-Encoding") == nil)
        #expect(answer.header("Vary") == "Accept-Encoding")
        #expect(try await answer.text() == SampleText.chapter)
    }

    @Test func `has no parts`() async throws {
        let answer = try await book().answer("c1.xhtml", Self.gzip + [(name: "Range", value: "bytes=0-4")])
        #expect(answer.status == 206 && answer.header("Content-Encoding") == nil)
        #expect(try await answer.text() == "<html")
    }
}

@Suite struct `Scripts of other origins` {
    @Test func `read nothing unless the app names them`() async throws {
        let request = [(name: "Origin", value: "https://reader.example")]
        #expect(try await book().answer("c1.xhtml", request).header("Access-Control-Allow-Origin") == nil)
        let open = try await book(origins: ["https://reader.example"])
        for path in ["c1.xhtml", "manifest.json", "~readium/positions"] {
            let answer = await open.answer(path, request)
            #expect(answer.header("Access-Control-Allow-Origin") == "https://reader.example", "\(path)")
            #expect(answer.header("Vary")?.contains("Origin") == true)
            let other = await open.answer(path, [("Origin", "https://other.example")])
            #expect(other.header("Access-Control-Allow-Origin") == nil)
            #expect(other.header("Vary")?.contains("Origin") == true)
        }
        let permission = await open.answer("c1.xhtml", method: "OPTIONS", request)
        #expect(permission.status == 204)
        #expect(permission.header("Access-Control-Allow-Headers")?.contains("Range") == true)
        #expect(await open.answer("c1.xhtml", method: "OPTIONS", [("Origin", "null")]).status == 405)
    }

    @Test func `may use a font, and only a font, in a chapter's sandbox`() async throws {
        let book = try await book()
        let font = [(name: "Origin", value: "null"), (name: "Sec-Fetch-Dest", value: "font")]
        #expect(await book.answer("font.otf", font).header("Access-Control-Allow-Origin") == "null")
        for path in ["c1.xhtml", "style.css", "manifest.json", "~readium/positions", ""] {
            #expect(await book.answer(path, font).header("Access-Control-Allow-Origin") == nil, "\(path)")
        }
        // Over plain HTTP from another machine, browsers don't say that it is a font.
        #expect(await book.answer("font.otf", [font[0]]).header("Access-Control-Allow-Origin") == "null")
        #expect(await book.answer("c1.xhtml", [font[0]]).header("Access-Control-Allow-Origin") == nil)
        for headers in [[font[1]], [font[0], (name: "Sec-Fetch-Dest", value: "empty")], []] {
            #expect(await book.answer("font.otf", headers).header("Access-Control-Allow-Origin") == nil)
        }
    }
}
