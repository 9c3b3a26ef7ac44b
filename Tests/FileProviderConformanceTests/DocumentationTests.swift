import FileProviderConformance
import FileProviderCore
import Foundation
import Testing

/// What the documentation shows is what is compiled and tested.
@Suite struct DocumentationTests {
    private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test func `the shelf keeps every promise`() async throws {
        let provider = ShelfProvider()
        let report = await Conformance(provider: provider, folder: .root, connect: { provider }).run()
        #expect(report.isConforming, "\(report)")
        let counts = "\(report.passed.count) passed, 0 failed, \(report.skipped.count) skipped"
        #expect(
            try text("Documentation/ImplementingAProvider.md").contains("of this one: \(counts)."),
            "the page has other counts than \(counts)")
    }

    @Test(arguments: [
        ("Documentation/ImplementingAProvider.md", "Tests/FileProviderConformanceTests/ShelfProvider.swift"),
        ("Documentation/ImplementingAProvider.md", "Tests/FileProviderConformanceTests/ShelfLayers.swift"),
        ("Documentation/ImplementingAProvider.md", "Tests/HTTPFileProviderTests/ShelfService.swift"),
        ("README.md", "Examples/ReadingABook/main.swift"),
    ])
    func `a page shows the code that is compiled`(_ page: String, _ code: String) throws {
        #expect(try text(page).contains("```swift\n" + text(code) + "```"))
    }
}
