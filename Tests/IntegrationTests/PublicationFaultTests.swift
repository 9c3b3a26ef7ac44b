import Carrel
import FaultServer
import Foundation
import SampleBooks
import Testing

/// Pitfalls 25 and 27: books on web servers that do not keep to RFC 9110, or keep to it in unusual ways. Each is read
/// as from a file, or refused as a server's fault; none is called damaged, and no byte is wrong.
@Suite struct PublicationFaultTests {
    // MARK: What is read all the same

    enum Oddity: CaseIterable {
        case hasNoAcceptRanges, deniesRangesAndHasThem, onlyKnowsGET, forbidsOthers, ignoresRanges, ignoresSuffixes,
            sendsLessThanAsked
        case hasNoTag, hasWeakTags, callsItText, callsItNothing, wholeInPartialContent, refusesLongSuffixes,
            refusesAllSuffixes

        func answer(_ request: FaultServer.Request, _ body: Data) -> FaultServer.Answer {
            let isSuffix = request.headers["range"]?.hasPrefix("bytes=-") == true
            let range = BookServer.range(request, size: body.count)
            switch self {
            case .hasNoAcceptRanges: return BookServer.answer(request, body)
            case .deniesRangesAndHasThem:
                return BookServer.answer(request, body, headers: ["ETag": "\"1\"", "Accept-Ranges": "none"])
            case .onlyKnowsGET:
                return request.method == "GET"
                    ? BookServer.answer(request, body) : .reply(405, headers: ["Allow": "GET"])
            case .forbidsOthers: return request.method == "GET" ? BookServer.answer(request, body) : .reply(403)
            case .ignoresRanges: return .reply(200, headers: ["ETag": "\"1\""], body: body)
            case .ignoresSuffixes:
                return isSuffix ? .reply(200, headers: ["ETag": "\"1\""], body: body) : BookServer.answer(request, body)
            case .sendsLessThanAsked:
                guard let range, !range.isEmpty else { return BookServer.answer(request, body) }
                let part = range.prefix(30_000)
                let header = "bytes \(range.lowerBound)-\(range.lowerBound + part.count - 1)/\(body.count)"
                return .reply(206, headers: ["ETag": "\"1\"", "Content-Range": header], body: Data(body[part]))
            case .hasNoTag: return BookServer.answer(request, body, headers: [:])
            case .hasWeakTags:
                return BookServer.answer(request, body, headers: ["ETag": isSuffix ? "W/\"1\"" : "\"1\""])
            case .callsItText:
                return BookServer.answer(request, body, headers: ["ETag": "\"1\"", "Content-Type": "text/plain"])
            case .callsItNothing:
                return BookServer.answer(request, body, headers: ["ETag": "\"1\"", "Content-Type": ""])
            case .wholeInPartialContent:
                guard range != nil, !isSuffix, range?.lowerBound == 0 else { return BookServer.answer(request, body) }
                return .reply(
                    206, headers: ["ETag": "\"1\"", "Content-Range": "bytes 0-\(body.count - 1)/\(body.count)"],
                    body: body)
            case .refusesLongSuffixes:
                guard isSuffix, range?.count == body.count else { return BookServer.answer(request, body) }
                return .reply(416, headers: ["Content-Range": "bytes */\(body.count)"])
            case .refusesAllSuffixes:
                return isSuffix
                    ? .reply(416, headers: ["Content-Range": "bytes */\(body.count)"])
                    : BookServer.answer(request, body)
            }
        }
    }

    @Test(arguments: Oddity.allCases, [false, true])
    func `a book on an odd server is read as from a file`(oddity: Oddity, isLarge: Bool) async throws {
        let body = isLarge ? try BookServer.large : try SampleBook.small(.epub2)
        let server = try FaultServer { oddity.answer($0, body) }
        defer { server.stop() }
        let local = try await BookServer.local(body)
        // Without an extension, so that the content has to be looked at.
        for name in ["book.epub", "download"] {
            let book = try await BookServer.open(server, name)
            #expect(book.metadata.title == local.metadata.title && book.warnings.isEmpty)
            #expect(book.readingOrder.map(\.href) == local.readingOrder.map(\.href))
            for link in [book.readingOrder.first, book.readingOrder.last, book.resources.first].compactMap(\.self) {
                #expect(try await book.get(link).read() == local.get(link).read())
                #expect(try await book.get(link).read(10..<900) == local.get(link).read(10..<900))
                #expect(try await book.get(link).read(1 << 40..<1 << 41).isEmpty)
            }
            await book.close()
        }
        #expect(server.requests.allSatisfy { ["GET", "OPTIONS"].contains($0.method) }, "no HEAD is needed")
        #expect(
            server.requests.filter { $0.method == "GET" }.allSatisfy { $0.headers["accept-encoding"] == "identity" })
    }

    @Test func `a book that comes byte by byte is read as from a file`() async throws {
        let body = try SampleBook.small(.epub3)
        let server = try FaultServer { request in
            guard case .reply(let status, let headers, let part) = BookServer.answer(request, body) else {
                return .silence
            }
            return .drip(status, headers: headers, body: part, pause: 0)
        }
        defer { server.stop() }
        let (book, local) = (try await BookServer.open(server), try await BookServer.local(body))
        #expect(!book.readingOrder.isEmpty)
        for link in book.readingOrder { #expect(try await book.get(link).read() == local.get(link).read()) }
    }

    @Test func `an answer that breaks off anywhere is asked for again from there, or is a lost connection`()
        async throws
    {
        let body = try BookServer.large
        let local = try await BookServer.local(body)
        for cut in [0, 1, 21, 22, 5_000, 65_535] {
            for retries in [0, 3] {
                let calls = LockedValue(0)
                let server = try FaultServer { request in
                    let call = calls.update { calls in
                        calls += request.method == "GET" ? 1 : 0
                        return calls
                    }
                    let answer = BookServer.answer(request, body)
                    guard call % 2 == 1, case .reply(let status, let headers, let part) = answer, cut < part.count
                    else { return answer }
                    return .truncated(status, headers: headers, promised: part.count, body: part.prefix(cut))
                }
                defer { server.stop() }
                do {
                    let book = try await BookServer.open(server, retries: retries)
                    let link = try #require(book.readingOrder.first)
                    #expect(try await book.get(link).read() == local.get(link).read())
                    #expect(retries > 0, "cut after \(cut)")
                } catch {
                    #expect(retries == 0 && OpeningFailure(error) == .unavailable, "cut after \(cut): \(error)")
                }
            }
        }
    }

    // MARK: What is refused

    /// The error of opening the book and reading its first and its last chapter; it has to be a sentence.
    private func failure(_ answer: @escaping @Sendable (FaultServer.Request) -> FaultServer.Answer) async throws
        -> any Error
    {
        let server = try FaultServer(answer)
        defer { server.stop() }
        let error = await #expect(throws: (any Error).self) {
            let book = try await BookServer.open(server)
            for link in [book.readingOrder.first, book.readingOrder.last].compactMap(\.self) {
                _ = try await book.get(link).read()
            }
        }
        let found = try #require(error)
        #expect(!found.sentence.isEmpty && !found.sentence.contains("\n"))
        return found
    }

    @Test(arguments: [1, -1, 4_096])
    func `another range than the one asked for is the server's fault, not the book's`(shift: Int) async throws {
        let body = try BookServer.large
        let error = try await failure { request in
            guard let range = BookServer.range(request, size: body.count), !range.isEmpty else {
                return BookServer.answer(request, body)
            }
            let start =
                [range.lowerBound + shift, range.lowerBound - shift].first { $0 >= 0 && $0 + range.count <= body.count }
                ?? 0
            let header = "bytes \(start)-\(start + range.count - 1)/\(body.count)"
            return .reply(
                206, headers: ["ETag": "\"1\"", "Content-Range": header], body: Data(body[start..<start + range.count]))
        }
        #expect(OpeningFailure(error) == .unavailable && error.sentence.contains("asked for"), "\(error)")
    }

    @Test(arguments: ["gzip", "x-gzip", "deflate", "br", "zstd", "gzip, identity"], [false, true])
    func `a book that is compressed on the way is refused, because ranges of it mean nothing`(
        encoding: String, isOnlyChapters: Bool
    ) async throws {
        let body = try BookServer.large
        let error = try await failure { request in
            guard case .reply(let status, var headers, let part) = BookServer.answer(request, body) else {
                return .silence
            }
            // Whether the bytes are zlib's, as RFC 9110 has it, or raw deflate, as many send it, nobody has to find
            // out.
            if !isOnlyChapters || request.headers["range"]?.hasPrefix("bytes=-") == false {
                headers["Content-Encoding"] = encoding
            }
            return .reply(status, headers: headers, body: part)
        }
        #expect(OpeningFailure(error) == .unavailable && error.sentence.contains("compressed"), "\(error)")
    }

    @Test func `a large book on a server without ranges is refused before it is downloaded`() async throws {
        let server = try FaultServer { request in
            request.method == "GET" ? .stalled(200, promised: 1 << 30, body: Data(count: 1_000)) : .reply(405)
        }
        defer { server.stop() }
        let error = await #expect(throws: URLError.self) { _ = try await BookServer.open(server) }
        #expect(error?.sentence.contains("ignores ranges") == true)
        #expect(server.traffic.sent < 10_000)
    }

    @Test(arguments: [nil, "bytes */1900000", "bytes */0", "bytes */*", "nonsense"])
    func `a server that refuses every range is told of as that`(range: String?) async throws {
        let error = try await failure { request in
            guard request.headers["range"] != nil else { return .reply(200, body: Data(count: 100)) }
            return .reply(416, headers: range.map { ["Content-Range": $0] } ?? [:])
        }
        // An empty file is no book, and that is what a size of 0 says.
        let isEmpty = range == nil || range == "bytes */0"
        #expect(OpeningFailure(error) == (isEmpty ? .parsingFailed : .unavailable), "\(error)")
    }

    @Test(arguments: ["ETag", "Last-Modified"])
    func `a book that is replaced between two requests is an error, never a mixture`(header: String) async throws {
        let (old, version) = (try BookServer.large, LockedValue("\"1\""))
        var changed = old
        for index in stride(from: 100, to: old.count, by: 97) { changed[index] ^= 0x55 }
        let new = changed
        let server = try FaultServer { request in
            let current = version.value
            return BookServer.answer(request, current == "\"1\"" ? old : new, headers: [header: current])
        }
        defer { server.stop() }
        let (book, local) = (try await BookServer.open(server), try await BookServer.local(old))
        let first = try #require(book.readingOrder.first)
        #expect(try await book.get(first).read() == local.get(first).read())
        version.update { $0 = "\"2\"" }
        var failures = 0
        for link in book.readingOrder + book.resources {
            do {
                #expect(try await book.get(link).read() == local.get(link).read())
            } catch {
                failures += 1
                #expect((error as? CocoaError)?.underlying as? POSIXError == POSIXError(.ESTALE), "\(error)")
            }
        }
        #expect(failures > 30)
    }
}
