import FaultServer
import FileProviderConformance
import FileProviderCore
import Foundation
import Testing

import SFTPFileProvider

/// Every promise of a provider, on servers of every kind.
@Suite struct SFTPConformanceTests {
    @Test(arguments: SFTPWritingTests.servers.map(\.0)) func `The promises are kept`(server: String) async throws {
        let settings = try #require(SFTPWritingTests.servers.first { $0.0 == server }?.1)
        try await withSFTPProvider(settings, files: [:]) { double, provider in
            let kit = Conformance(
                provider: provider, folder: .root, connect: { try SFTPFaults.provider(SFTPLinks(double)) })
            let report = await kit.run()
            #expect(report.isConforming, "\(report)")
            #expect(double.paths == [])
        }
    }
}
