import CurlTransport
import FaultServer
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
        let reported = reply(
            200, "The current quota for this session are [current/limit]:", "Name: reader", "Quota Type: User",
            "  Uploaded Mb:\t12.50/100.00",
            "  Downloaded Mb:\tunlimited", "Please contact the administrator if these entries are inaccurate")
        let volume = try #require(FTPFileProvider.quota(reported))
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

    // MARK: Asked of a server

    @Test func `A server with AVBL is asked for it`() async throws {
        var settings = FTPDouble.Settings { $0.verb == "AVBL" ? [.reply("213 1234567")] : [] }
        settings.features.append("AVBL")
        try await withFTPProvider(settings) { double, provider in
            let volume = try await provider.storageProperties()
            #expect(volume?.availableCapacity == 1_234_567 && volume?.totalCapacity == nil)
            #expect(try await provider.capabilities().has(.storageProperties))
            #expect(
                double.commands.count { $0.verb == "AVBL" } == 2 && !double.commands.contains { $0.argument == "QUOTA" }
            )
        }
    }

    @Test func `A server with SITE QUOTA is asked for that`() async throws {
        let reported = "200-The current quota is\n  Uploaded Kb:\t10.00/30.00\n200 That is all"
        let settings = FTPDouble.Settings { $0.verb == "SITE" && $0.argument == "QUOTA" ? [.reply(reported)] : [] }
        try await withFTPProvider(settings) { _, provider in
            let volume = try await provider.storageProperties()
            #expect(
                volume?.totalCapacity == 30 << 10 && volume?.availableCapacity == 20 << 10 && volume?.usage == 10 << 10)
            #expect(try await provider.capabilities().has(.storageProperties))
        }
    }

    @Test func `A server with neither tells nothing, and is asked once`() async throws {
        try await withFTPProvider { double, provider in
            let volume = try await provider.storageProperties()
            #expect(volume == nil)
            let capabilities = try await provider.capabilities()
            #expect(!capabilities.has(.storageProperties))
            #expect(double.commands.count { $0.verb == "SITE" } == 1 && !double.commands.contains { $0.verb == "AVBL" })
        }
    }
}
