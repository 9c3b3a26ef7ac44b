import Foundation
import Testing

/// `carrel conform` with a list of known failures.
@Suite struct CommandConformanceTests {
    private static let held = "A removed empty folder is gone"

    @Test func `a known failure that may hold changes nothing, and the report has a list for those`() async throws {
        try await CommandRunner.use { runner in
            try runner.write(
                "known.json", #"[{"behaviour":"\#(Self.held)","reason":"the shelf is soft","sometimes":true}]"#)
            let outcome = try await runner.run("conform", "--json", "--known", "known.json", "mem:")
            #expect(outcome.code == 0)
            #expect(Set(outcome.object.keys) == ["passed", "failed", "known", "skipped"])
            #expect((outcome.object["known"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `a known failure that holds is exit code 1`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("known.json", #"[{"behaviour":"removing: \#(Self.held)","reason":"the shelf is soft"}]"#)
            let outcome = try await runner.run("conform", "--json", "--known", "known.json", "mem:")
            #expect(outcome.code == 1)
            let failed = try #require(outcome.object["failed"] as? [[String: String]])
            #expect(failed.map { $0["id"] } == ["removing: \(Self.held)"])
            #expect(failed.first?["sentence"]?.contains("the shelf is soft") == true)
        }
    }

    @Test func `a list that cannot be read is wrong usage`() async throws {
        try await CommandRunner.use { runner in
            expectFailure(try await runner.run("conform", "--known", "missing.json", "mem:"), 2, "cannot be read")
            try runner.write("known.json", "{}")
            expectFailure(
                try await runner.run("conform", "--known", "known.json", "mem:"), 2, "is not a list of failures")
        }
    }
}
