import Foundation
import Testing

/// The examples without tests of their own say what their pages show.
@Suite struct ExampleTests {
    private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func `a protected book goes all the way of a loan`() async throws {
        let page = try String(contentsOf: root.appending(path: "Examples/ProtectedBook/README.md"), encoding: .utf8)
        try await CommandRunner.use { runner in
            let example = try #require(CommandRunner.built("protected-book"), "protected-book lies beside the tests")
            runner.environment["EXAMPLE"] = example.path
            let outcome = try await runner.shell("exec \"$EXAMPLE\"")
            #expect(outcome.code == 0 && outcome.error.isEmpty, "\(outcome.error)")
            #expect(page.contains("```text\n" + outcome.text + "```"), "\(outcome.text)")
        }
    }
}
