import Foundation
import Testing

@Suite struct ProvidersPageTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Documentation/Providers.md")

    @Test(
        .enabled(
            if: TestServers.areRequired || ConformanceStorage.missing.isEmpty,
            "the page has a column for every server, and not all are up; run bash Tests/run.sh"))
    func `the page of providers says what they show`() async throws {
        let page = try await ProvidersPage().markdown
        if TestServers.environment["CARREL_WRITE_PROVIDERS"] == "1" {
            try page.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let committed = try String(contentsOf: Self.file, encoding: .utf8)
        let lines = zip(
            committed.split(separator: "\n", omittingEmptySubsequences: false),
            page.split(separator: "\n", omittingEmptySubsequences: false))
        let difference = lines.first { $0 != $1 }.map { "“\($0)” is “\($1)” in this run" } ?? "its length is another"
        #expect(
            committed == page,
            "Documentation/Providers.md is out of date (\(difference)): run “make providers-table”")
    }
}
