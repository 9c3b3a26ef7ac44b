import Testing
import WebServer

@testable import PublicationServer

struct LoggedPathTests {
    @Test(arguments: [
        ("/read/", "/read/KEY/EPUB/c1.xhtml?~frame", "/read/…/EPUB/c1.xhtml"), ("/read/", "/read/KEY", "/read/…"),
        ("/read/", "/KEY/a", "/read/…"), ("/", "/KEY/EPUB/c1.xhtml", "/…/EPUB/c1.xhtml"), ("/", "/KEY/?a=/b", "/…/"),
        ("/", "/KEY?a=/b", "/…"), ("/", "*", "/…"),
    ])
    func `the segment that opens a publication is in no log line`(root: String, target: String, shown: String) {
        #expect(PublicationServer.shown(target, below: root) == shown)
    }
}
