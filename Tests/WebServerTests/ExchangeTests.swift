import Foundation
import Testing

@testable import WebServer

struct ExchangeTests {
    @Test(
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=0-99", 0..<10), ("bytes=9-9", 9..<10), ("bytes=3-", 3..<10),
            ("bytes=-4", 6..<10),
            ("bytes=-40", 0..<10), ("BYTES = 2 - 3 ", 2..<4), ("bytes=2-99999999999999999999999", 2..<10),
        ] as [(String, Range<Int64>)])
    func `one range is a part of the length`(header: String, range: Range<Int64>) {
        #expect(ByteRangeRequest(header)?.range(in: 10) == range)
    }

    @Test(arguments: [
        "bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999999-",
        "bytes=9223372036854775807-9223372036854775807",
    ])
    func `a range without a byte of the resource cannot be satisfied`(header: String) throws {
        #expect(try #require(ByteRangeRequest(header)).range(in: 10) == nil)
    }

    @Test func `nothing of an empty resource can be asked for`() throws {
        #expect(try #require(ByteRangeRequest("bytes=0-")).range(in: 0) == nil)
        #expect(try #require(ByteRangeRequest("bytes=-1")).range(in: 0) == nil)
    }

    @Test(arguments: [
        nil, "", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=0-1,3-4", "items=0-1", "bytes=a-b", "bytes=1-b",
        "bytes=+1-2", "bytes=0x1-2", "bytes=1--2",
    ])
    func `several ranges, other units and what is malformed ask for everything`(header: String?) {
        #expect(ByteRangeRequest(header) == nil)
    }

    @Test(
        arguments: [
            (nil, nil), ("", nil), ("gzip", .gzip), ("br, GZIP;q=0.5", .gzip), ("x-gzip", .gzip), ("*", .gzip),
            ("identity", nil), ("gzip;q=0", nil), ("gzip;q=0, *", nil), ("*;q=0", nil), ("br;q=1.0, *;q=0.1", .gzip),
            ("gzip; q=0.000", nil), ("gzip;q=x", nil), ("gzip;q=1.5", nil), ("gzip;q=inf", nil), ("gzip;q=-1", nil),
            ("gzip ; Q=0.001", .gzip), ("*;q=0, gzip", .gzip), ("gzip;q=0.5, identity", nil),
            ("identity;q=0.5, gzip", .gzip), ("gzip, identity;q=0", .gzip), ("identity;q=0", nil),
            ("identity, *;q=0.5", nil), (" , gzip,", .gzip), ("gzipped", nil), ("x-gzip;q=0", nil),
        ] as [(String?, ContentCoding?)])
    func `gzip is used where the client accepts it`(header: String?, coding: ContentCoding?) {
        #expect(ContentCoding.accepted(header) == coding)
    }

    private func outcome(_ headers: [(name: String, value: String)], _ tag: EntityTag?) -> Preconditions.Outcome {
        Preconditions(ServerRequest(target: "/", headers: headers)).evaluate(tag.map { [$0] } ?? [])
    }

    @Test func `conditions are compared in their order`() {
        let tag = EntityTag(ofParts: ["c1", "a"])
        let value = tag.value
        #expect(outcome([], tag) == .proceed(usesRange: true))
        #expect(outcome([("If-None-Match", "\"other\", W/\(value)")], tag) == .notModified)
        #expect(outcome([("if-none-match", "*")], tag) == .notModified)
        #expect(outcome([("If-None-Match", "*")], nil) == .notModified)
        #expect(outcome([("If-None-Match", value)], nil) == .proceed(usesRange: true))
        #expect(outcome([("If-None-Match", "\"a,b\""), ("If-None-Match", value)], tag) == .notModified)
        #expect(outcome([("If-None-Match", String(value.dropFirst().dropLast()))], tag) == .proceed(usesRange: true))
        #expect(outcome([("If-None-Match", "w/\(value)")], tag) == .proceed(usesRange: true))
        #expect(outcome([("If-None-Match", value), ("If-Range", "\"other\"")], tag) == .notModified)
        #expect(outcome([("If-None-Match", "\"other\"")], tag) == .proceed(usesRange: true))
        #expect(outcome([("If-Match", value)], tag) == .proceed(usesRange: true))
        #expect(outcome([("If-Match", "W/" + value)], tag) == .failed)
        #expect(outcome([("If-Match", "\"other\", \(value)")], tag) == .proceed(usesRange: true))
        #expect(outcome([("If-Match", "*")], nil) == .proceed(usesRange: true))
        #expect(outcome([("If-Match", value)], nil) == .failed)
        #expect(outcome([("If-Match", value), ("If-None-Match", value)], tag) == .notModified)
        #expect(outcome([("If-Match", "\"other\""), ("If-None-Match", value)], tag) == .failed)
        #expect(outcome([("If-Range", value)], tag) == .proceed(usesRange: true))
        #expect(outcome([("If-Range", "W/" + value)], tag) == .proceed(usesRange: false))
        #expect(outcome([("If-Range", "Sat, 28 Nov 2026 10:00:00 GMT")], tag) == .proceed(usesRange: false))
        #expect(outcome([("If-Range", value)], nil) == .proceed(usesRange: false))
        #expect(outcome([("If-Range", "*")], tag) == .proceed(usesRange: false))
        #expect(outcome([("If-Range", "\"other\", \(value)")], tag) == .proceed(usesRange: false))
    }

    @Test func `dates change nothing, as no answer has one`() {
        let tag = EntityTag(ofParts: ["c1", "a"])
        let date = "Sat, 28 Nov 2026 10:00:00 GMT"
        #expect(outcome([("If-Modified-Since", date)], tag) == .proceed(usesRange: true))
        #expect(outcome([("If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT")], tag) == .proceed(usesRange: true))
    }

    @Test func `there are parts of the bytes without a coding alone`() {
        let (plain, packed) = (EntityTag(ofParts: ["c1", "a"]), EntityTag(ofParts: ["c1", "a", "gzip"]))
        func outcome(_ name: String, _ tag: EntityTag) -> Preconditions.Outcome {
            Preconditions(ServerRequest(target: "/", headers: [(name, tag.value)])).evaluate([plain, packed])
        }
        #expect(outcome("If-Range", plain) == .proceed(usesRange: true))
        #expect(outcome("If-Range", packed) == .proceed(usesRange: false))
        #expect(outcome("If-None-Match", packed) == .notModified)
    }

    @Test func `bytes in a path are read back, and nothing else is read`() throws {
        for count in 0..<5 {
            let data = Data((0..<count).map { UInt8(0xF8 | $0) })
            let text = data.base64URL
            #expect(text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
            #expect(Data(base64URL: text) == data)
        }
        for text in ["A", "YQ==", "+A", "/A", "Y Q", "YQ\n", "é"] { #expect(Data(base64URL: text) == nil, "\(text)") }
    }

    @Test func `fields of one name are one list, and names count in any case`() {
        let request = ServerRequest(target: "/a/b?c?d", headers: [("A", "1"), ("b", "2"), ("a", "3")])
        #expect(request.header("a") == "1, 3")
        #expect(request.header("c") == nil)
        #expect(request.path == "/a/b")
        #expect(request.query == "c?d")
        #expect(ServerRequest(target: "/a").query == nil)
        #expect(ServerRequest(target: "/a?").query == "")
    }

    @Test func `a field of an answer is set once, whatever its case`() {
        var answer = ServerResponse(status: 200, headers: [("vary", "Origin"), ("A", "1"), ("Vary", "Accept")])
        answer.set("Vary", "Accept-Encoding")
        #expect(answer.headers.map(\.name) == ["A", "Vary"])
        #expect(answer.header("VARY") == "Accept-Encoding")
    }

    @Test func `the answer to HEAD has the length of the answer to GET`() {
        let bytes = ServerResponse(status: 200, body: .data(.init([1, 2, 3]))).withoutBody
        #expect(bytes.contentLength == 3)
        let stream = ServerResponse(status: 200, body: .stream(count: 9) { _ in }).withoutBody
        #expect(stream.contentLength == 9)
        guard case .none = bytes.body, case .none = stream.body else { Issue.record("There is a body."); return }
    }

    @Test func `parts of a tag are not run together`() {
        let tags = [["ab", "c"], ["a", "bc"], ["abc"], ["a", "b", "c"]].map { EntityTag(ofParts: $0).value }
        #expect(Set(tags).count == tags.count)
        #expect(tags.allSatisfy { $0.hasPrefix("\"") && $0.hasSuffix("\"") && $0.utf8.count == 24 })
    }

    @Test(
        arguments: [
            ("token=a+b%2Bc&x=1", "a b+c"), ("x=1&token=abc", "abc"), ("token=a&token=b", "a"), ("t%6Fken=a", "a"),
            ("token=a=b", "a=b"), ("token=", ""), ("token=%zz", ""), ("", nil), ("token", nil), ("nottoken=a", nil),
            ("&&=&", nil),
        ] as [(String, String?)])
    func `a form has its fields decoded`(body: String, value: String?) {
        #expect(RequestForm(Data(body.utf8)).value("token") == value)
    }

    @Test func `another method is told which there are`() {
        let answer = RefusalAnswer.wrongMethod(allowed: ["GET", "HEAD", "PUT"])
        #expect(answer.status == 405)
        #expect(answer.header("Allow") == "GET, HEAD, PUT")
        guard case .data(let text) = answer.body else { Issue.record("There is no sentence."); return }
        #expect(String(decoding: text, as: UTF8.self) == "This address answers GET, HEAD and PUT.\n")
    }
}
