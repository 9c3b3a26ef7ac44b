import Foundation
import Testing

/// The table of pitfalls in `Documentation/Testing.md`.
@Suite struct PitfallTableTests {
    private static let package = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

    /// By number, what stands in the column of tests.
    private func table() throws -> [Int: [Substring]] {
        let text = try String(contentsOf: Self.package.appending(path: "Documentation/Testing.md"), encoding: .utf8)
        let section = try #require(
            text.components(separatedBy: "\n## ").first { $0.hasPrefix("Pitfalls of publications") })
        var rows: [Int: [Substring]] = [:]
        for match in section.matches(of: /\| (\d+) \| [^|]+ \| ([^|]+) \|/) {
            rows[try #require(Int(match.1))] = match.2.matches(of: /`([^`]+)`/).map { $0.1 }
        }
        return rows
    }

    @Test func `each pitfall of what is here has tests that exist`() throws {
        let table = try table()
        #expect(table.keys.sorted() == Array(1...36) + [40, 41, 42, 43, 44, 45, 46, 48])
        var names: Set<Substring> = []
        let tests = Self.package.appending(path: "Tests")
        for folder in ["PublicationTests", "IntegrationTests", "HTTPFileProviderTests", "SafeXMLTests"] {
            let files = try FileManager.default.contentsOfDirectory(
                at: tests.appending(path: folder), includingPropertiesForKeys: nil)
            for file in files where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                names.formUnion(text.matches(of: /func `([^`]+)`/).map { $0.1 })
            }
        }
        for (number, tests) in table {
            #expect(
                !tests.isEmpty && tests.allSatisfy { names.contains($0) },
                "\(number): \(tests.filter { !names.contains($0) })")
        }
    }
}
