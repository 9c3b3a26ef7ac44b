import FTPFileProvider
import Foundation
import Testing

@Suite struct FTPConfigurationTests {
    @Test func `A configuration keeps no secret of its URL`() throws {
        let url = try #require(URL(string: "ftpes://reader:secret@example.org/books/"))
        #expect(FTPConfiguration(baseURL: url).baseURL.absoluteString == "ftpes://example.org/books/")
    }
}
