import CurlTransport
import FileProviderCore
import Foundation
import Testing

@testable import FTPFileProvider

@Suite struct FTPQuotaTests {
    private func reply(_ code: Int, _ lines: String...) -> FTPReply {
        FTPReply(verb: "SITE", code: code, lines: lines.map { Array($0.utf8) })
    }

    @Test func `Free space is the number in the answer to AVBL`() {
        #expect(FTPFileProvider.free(reply(213, "10737418240"))?.availableCapacity == 10_737_418_240)
        #expect(FTPFileProvider.free(reply(213, "-1")) == nil)
        #expect(FTPFileProvider.free(reply(550, "12")) == nil)
    }

    @Test func `A quota is what was uploaded, and what may be`() throws {
        let told = reply(
            200, "The current quota for this session are [current/limit]:", "Name: reader", "Quota Type: User",
            "  Uploaded Mb:\t12.50/100.00",
            "  Downloaded Mb:\tunlimited", "Please contact the administrator if these entries are inaccurate")
        let volume = try #require(FTPFileProvider.quota(told))
        #expect(volume.totalCapacity == 100 << 20)
        #expect(volume.usage == Int64(12.5 * 1_048_576))
        #expect(volume.availableCapacity == Int64(87.5 * 1_048_576))
    }

    @Test func `Quotas without a limit, refusals and nonsense tell nothing`() {
        #expect(FTPFileProvider.quota(reply(200, "Uploaded bytes:\tunlimited")) == nil)
        #expect(FTPFileProvider.quota(reply(502, "Uploaded bytes: 1/2")) == nil)
        #expect(FTPFileProvider.quota(reply(200, "Uploaded bytes: nan/inf")) == nil)
        #expect(FTPFileProvider.quota(reply(200, "Uploaded parsecs: 1/2")) == nil)
    }
}
