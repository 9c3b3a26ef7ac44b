import FileProviderCore
import Foundation
import Testing

@testable import WebDAVFileProvider

@Suite struct MultistatusTests {
    /// The responses of a document that arrives byte by byte.
    private func responses(_ document: String) throws -> [DAVResponse] {
        let decoder = try MultistatusDecoder()
        for byte in document.utf8 { try decoder.parse(Data([byte])) }
        try decoder.finish()
        return decoder.take()
    }

    @Test func `elements count by their namespace, whatever the prefix`() throws {
        let found = try responses(
            """
            <?xml version="1.0"?><multistatus xmlns="DAV:" xmlns:o="other:"><response><href>/a</href><propstat><prop>\
            <getcontentlength>5</getcontentlength><o:getcontentlength>6</o:getcontentlength></prop>\
            <status>HTTP/1.1 200 OK</status></propstat></response></multistatus>
            """)
        #expect(found.map(\.size) == [5])
    }

    @Test func `properties that failed are not there, those of every other part are`() throws {
        let found = try responses(
            """
            <D:multistatus xmlns:D="DAV:"><D:response><D:href>/a</D:href>\
            <D:propstat><D:prop><D:getetag>"1"</D:getetag></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>\
            <D:propstat><D:prop><D:getcontenttype>x</D:getcontenttype></D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>\
            <D:propstat><D:prop><D:getcontentlength>7</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>\
            </D:response></D:multistatus>
            """)
        #expect(found.map(\.entryTag) == ["\"1\""])
        #expect(found.map(\.contentType) == [nil])
        #expect(found.map(\.size) == [7])
    }

    @Test func `an item of which every property failed is no file: its status is the first cause`() throws {
        func part(_ status: Int) -> String {
            "<D:propstat><D:prop><D:resourcetype/></D:prop><D:status>HTTP/1.1 \(status) No</D:status></D:propstat>"
        }
        let found = try responses(
            """
            <D:multistatus xmlns:D="DAV:"><D:response><D:href>/a</D:href>\(part(424))\(part(403))\(part(404))</D:response>\
            <D:response><D:href>/b</D:href>\(part(404))\(part(200))</D:response>\
            <D:response><D:href>/c</D:href></D:response></D:multistatus>
            """)
        #expect(found.map(\.status) == [403, nil, nil])
        #expect(found.map { $0.item(at: .root).type } == [.other, .regular, .regular])
    }
}
