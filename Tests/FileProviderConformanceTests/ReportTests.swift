import FileProviderConformance
import FileProviderCore
import Foundation
import MemoryFileProvider
import Testing

@Suite struct ReportTests {
    private func report() async throws -> Conformance.Report {
        let flaw = try #require(Flaw.all.first { $0.name == "overwrites unasked" })
        let wanted = flaw.behaviours + ["A removed empty folder is gone", "Without storage properties nothing is made up"]
        let provider = BrokenProvider(MemoryFileProvider(), flaw.hooks())
        return await Conformance(provider: provider, folder: .root) { wanted.contains($0) }.run()
    }

    @Test func `as JSON it has a number, the violations and what was skipped`() async throws {
        let data = try JSONEncoder().encode(try await report())
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(Set(json.keys) == ["passed", "failed", "skipped"])
        #expect(json["passed"] as? Int == 2)
        let failed = try #require(json["failed"] as? [[String: String]])
        #expect(failed.first?["id"] == "replacing: Without overwrite an existing file is kept")
        #expect(failed.count == 1)
        #expect(failed.first?["behaviour"] == "Without overwrite an existing file is kept")
        #expect(failed.first?["sentence"]?.contains("expected") == true)
        let skipped = try #require(json["skipped"] as? [[String: String]])
        #expect(
            skipped == [
                [
                    "id": "capabilities: Without storage properties nothing is made up",
                    "behaviour": "Without storage properties nothing is made up", "reason": "storageProperties is available",
                ]
            ])
    }

    @Test func `its description lists violations, skips and counts`() async throws {
        let text = try await report().description
        #expect(text.contains("✗ replacing: Without overwrite an existing file is kept\n    Writing over a file without overwrite: expected"))
        #expect(text.contains("(skipped: storageProperties is available)"))
        #expect(text.hasSuffix("2 passed, 1 failed, 1 skipped"))
    }
}
