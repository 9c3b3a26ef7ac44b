@testable import FTPFileProvider
import FileProviderCore
import Foundation
import Testing

@Suite struct FTPConfigurationTests {
    private func configuration(_ settings: [String: String]) throws -> FTPConfiguration {
        try FTPConfiguration(baseURL: #require(URL(string: "ftp://example.org/")), settings: settings)
    }

    @Test func `A configuration keeps no secret of its URL`() throws {
        let url = try #require(URL(string: "ftpes://reader:secret@example.org/books/"))
        #expect(FTPConfiguration(baseURL: url).baseURL.absoluteString == "ftpes://example.org/books/")
    }

    @Test func `Settings are read, in any case, and what is not set is as it was`() throws {
        let plain = try configuration([:])
        #expect(plain.charsetName == "utf-8" && plain.dataMode == .passive && plain.timeZone == nil)
        #expect(!plain.offersNewestTLS && plain.verification == .size)
        let other = try configuration([
            "charset": "Windows-1251", "data": "Active", "time-zone": "Europe/Berlin", "tls": "newest",
            "verify": "HASH",
        ])
        #expect(other.charsetName == "windows-1251" && other.dataMode == .active && other.timeZone == "Europe/Berlin")
        #expect(other.offersNewestTLS && other.verification == .hash)
        #expect(try configuration(["data": "ipv4passive"]).dataMode == .ipv4Passive)
        let same = ["charset": "UTF-8", "data": "passive", "tls": "1.2", "verify": "size"]
        #expect(try configuration(same) == plain)
        #expect(Set(same.keys).union(["time-zone"]) == FTPConfiguration.settingNames)
    }

    @Test(arguments: [
        ("charset", "klingon"), ("charset", ""), ("data", "ipv6"), ("data", ""), ("time-zone", "Europe/Atlantis"),
        ("time-zone", ""),
        ("tls", "1.1"), ("tls", "off"), ("verify", "no"), ("verify", ""), ("speed", "high"),
    ])
    func `A value that makes no sense is refused in a sentence that has it`(name: String, value: String) throws {
        let error = try #require(throws: CocoaError.self) { try configuration([name: value]) }
        #expect(error.code == (name == "charset" ? .fileReadUnknownStringEncoding : .featureUnsupported))
        #expect(error.sentence.contains("“\(value)”") && error.sentence.hasSuffix("."))
        #expect(error.sentence.contains(name == "charset" ? "character set" : "“\(name)”"))
    }
}
