import Foundation
import LCPConnection

// The licence is invented, and its server is not there: nothing listens on the port.
let block = Data(count: 48).base64EncodedString()
let license = try LicenseDocument(
    data: Data(
        """
        {"id": "urn:example", "issued": "2026-01-01T00:00:00Z", "provider": "https://books.example.org",
         "encryption": {
          "profile": "http://readium.org/lcp/basic-profile",
          "content_key": {"algorithm": "http://www.w3.org/2001/04/xmlenc#aes256-cbc", "encrypted_value": "\(block)"},
          "user_key": {"algorithm": "http://www.w3.org/2001/04/xmlenc#sha256", "text_hint": "", "key_check": "\(block)"}},
         "links": [
          {"rel": "hint", "href": "https://books.example.org/hint", "type": "text/html"},
          {"rel": "publication", "href": "https://books.example.org/book.epub", "type": "application/epub+zip"},
          {"rel": "status", "href": "http://127.0.0.1:9/status"}],
         "signature": {"algorithm": "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "certificate": "AAAA", "value": "AAAA"}}
        """.utf8))
let options = ConnectionOptions(retries: RetryPolicy(retries: 0), proxy: .none)
let client = LicenseStatusClient(connection: HTTPLicenseConnection(options: options))
do {
    print(try await client.status(of: license).status)
} catch let error as URLError where error.code == .cannotConnectToHost {
    print("The licence's server was not reached")
}
