import FileProviderConformance
import FileProviderCore
import Foundation
import Testing

/// The conformance kit on every storage of this run. What a server cannot do stands in `KnownServerFailures`.
@Suite struct ServerConformanceTests {
    @Test(arguments: ConformanceStorage.all)
    func `every promise is kept`(on storage: ConformanceStorage) async throws {
        let report = try await ConformanceRuns.shared.result(of: storage).report
        #expect(report.isConforming, "\(report)")
        #expect(report.passed.count + report.known.count + report.skipped.count >= storage.share.count)
    }
}
