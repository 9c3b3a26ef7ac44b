import Foundation
import Testing

@testable import PublicationServer

struct LoggedPathTests {
    @Test(arguments: [
        ("https://books.example/read/", "/read/KEY/EPUB/c1.xhtml?~frame", "/read/…/EPUB/c1.xhtml"),
        ("https://books.example/read/", "/read/KEY", "/read/…"), ("https://books.example/read/", "/KEY/a", "/read/…"),
        (nil, "/KEY/EPUB/c1.xhtml", "/…/EPUB/c1.xhtml"), (nil, "/KEY/?a=/b", "/…/"), (nil, "/KEY?a=/b", "/…"),
        (nil, "*", "/…"),
    ])
    func `the segment that opens a publication is in no log line`(
        proxy: String?, target: String, shown: String
    ) throws {
        let url = try proxy.map { try #require(URL(string: $0)) }
        #expect(try PublicationServer(ServerConfiguration(publicURL: url)).shown(target) == shown)
    }
}
