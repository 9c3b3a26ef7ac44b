import FileProviderCore
import Foundation
import Testing

@testable import WebDAVFileProvider

/// What one listing may cost, whatever the server sends.
@Suite struct HostileListingTests {
    /// Feeds the decoder with `head`, then with `piece` again and again, until it refuses or `maxCount` bytes were
    /// taken.
    ///
    /// - Returns: The bytes taken, and the most responses that were held at once.
    private func feed(_ head: String, _ piece: (Int) -> String, maxCount: Int) throws -> (
        bytes: Int, error: CocoaError?
    ) {
        let decoder = try MultistatusDecoder()
        var (bytes, index) = (0, 0)
        do {
            try decoder.parse(Data(head.utf8))
            while bytes < maxCount {
                let data = Data(piece(index).utf8)
                try decoder.parse(data)
                _ = decoder.take()
                bytes += data.count
                index += 1
            }
        } catch let error as CocoaError { return (bytes, error) }
        return (bytes, nil)
    }

    private static let start = "<D:multistatus xmlns:D=\"DAV:\">"

    @Test(arguments: ["<!-- ", "<?target ", "<a b=\"", "<D:response><D:href>/x</D:href><D:propstat><D:prop><"])
    func `a part that has no end is refused after a few MiB`(_ opening: String) throws {
        let filler = String(repeating: "x", count: 1 << 16)
        let (bytes, error) = try feed(Self.start + opening, { _ in filler }, maxCount: 64 << 20)
        #expect(error?.code == .fileReadTooLarge)
        #expect(bytes < 8 << 20)
    }

    @Test func `names of elements without an end are refused`() throws {
        let (bytes, error) = try feed(
            Self.start,
            { index in (0..<100).map { "<n\(index)-\($0)-\(String(repeating: "y", count: 500))/>" }.joined() },
            maxCount: 200 << 20)
        #expect(error?.code == .fileReadTooLarge)
        #expect(bytes < 64 << 20)
    }

    @Test func `hrefs without an end are not kept, nor one that is too long`() throws {
        let href = "<D:href>/\(String(repeating: "z", count: 1 << 12))</D:href>"
        let decoder = try MultistatusDecoder()
        try decoder.parse(
            Data(
                "\(Self.start)<D:response>\(String(repeating: href, count: 900))<D:status>HTTP/1.1 403 No</D:status></D:response>"
                    .utf8))
        try decoder.parse(Data("</D:multistatus>".utf8))
        try decoder.finish()
        let response = try #require(decoder.take().first)
        #expect(response.moreHrefs.reduce(0) { $0 + $1.count } < 256 << 10)
        let long = "<D:response><D:href>/\(String(repeating: "z", count: 100_000))</D:href></D:response>"
        #expect(try feed(Self.start, { _ in long }, maxCount: 4 << 20).error?.code == .fileReadTooLarge)
    }

    @Test func `items without an end are refused`() throws {
        let decoder = try MultistatusDecoder(maxResponses: 1000)
        let item = "<D:response><D:href>/a</D:href></D:response>"
        try decoder.parse(Data((Self.start + String(repeating: item, count: 1001) + "</D:multistatus>").utf8))
        let error = #expect(throws: CocoaError.self) { try decoder.finish() }
        #expect(error?.code == .fileReadTooLarge)
    }
}
