import FileProviderConformance
import FileProviderCore
import Foundation
import MemoryFileProvider
import Testing

@Suite struct ReportTests {
    private static let broken = "Without overwrite an existing file is kept"
    private static let kept = "A removed empty folder is gone"

    /// A run in which one behaviour is broken, one is kept and one is skipped.
    private func report(known: [Conformance.KnownFailure] = []) async throws -> Conformance.Report {
        let flaw = try #require(Flaw.all.first { $0.name == "overwrites unasked" })
        let wanted = flaw.behaviours + [Self.kept, "Without storage properties nothing is made up"]
        let provider = BrokenProvider(MemoryFileProvider(), hooks: flaw.hooks())
        return await Conformance(provider: provider, folder: .root, isIncluded: { wanted.contains($0) }, known: known)
            .run()
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
                    "behaviour": "Without storage properties nothing is made up",
                    "reason": "storageProperties is available",
                ]
            ])
    }

    @Test func `its description lists violations, skips and counts`() async throws {
        let text = try await report().description
        #expect(
            text.contains(
                "✗ replacing: Without overwrite an existing file is kept\n    Writing over a file without overwrite: expected"
            ))
        #expect(text.contains("(skipped: storageProperties is available)"))
        #expect(text.hasSuffix("2 passed, 1 failed, 1 skipped"))
    }

    @Test(arguments: [broken, "replacing: \(broken)"], [nil, "expected a file-exists error"])
    func `a known failure is told with its reason, and is no violation`(behaviour: String, message: String?)
        async throws
    {
        let report = try await report(known: [.init(behaviour, reason: "the shelf is soft", message: message)])
        #expect(report.isConforming && report.passed.count == 2)
        #expect(report.known.map(\.id) == ["replacing: \(Self.broken)"])
        #expect(report.known.first?.sentence == "the shelf is soft")
        #expect(report.outcome(of: Self.broken) == .known)
        #expect(report.description.contains("! replacing: \(Self.broken) (known: the shelf is soft)"))
        #expect(report.description.hasSuffix("2 passed, 0 failed, 1 known, 1 skipped"))
        let json = try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(report)) as? [String: Any])
        #expect(
            json["known"] as? [[String: String]] == [
                ["id": "replacing: \(Self.broken)", "behaviour": Self.broken, "reason": "the shelf is soft"]
            ])
    }

    @Test func `a known failure that fails in another way is a violation`() async throws {
        let report = try await report(known: [.init(Self.broken, reason: "the shelf is soft", message: "of 4096 bytes")]
        )
        #expect(report.violations.map(\.behaviour) == [Self.broken])
        #expect(report.known == [])
    }

    @Test func `a known failure that starts to hold fails the run`() async throws {
        let report = try await report(known: [
            .init(Self.broken, reason: "…"), .init(Self.kept, reason: "the shelf is soft"),
        ])
        #expect(report.violations.map(\.behaviour) == [Self.kept])
        #expect(report.violations.first?.sentence.contains("(the shelf is soft), but it holds now") == true)
        #expect(report.outcome(of: Self.kept) == .failed)
    }

    @Test func `what fails at times only may hold`() async throws {
        let report = try await report(
            known: [
                .init(Self.broken, reason: "…", isOccasional: true), .init(Self.kept, reason: "…", isOccasional: true),
            ])
        #expect(report.isConforming)
        #expect(report.outcome(of: Self.kept) == .passed)
        #expect(report.outcome(of: Self.broken) == .known)
    }

    @Test func `a known failure of no behaviour fails the run`() async throws {
        let report = try await report(known: [
            .init(Self.broken, reason: "…"), .init("A behaviour of old", reason: "…"),
        ])
        #expect(report.violations.map(\.behaviour) == ["A behaviour of old"])
    }

    @Test func `known failures are read from JSON`() throws {
        let text = #"[{"behaviour":"a","reason":"b"},{"behaviour":"c","reason":"d","message":"e","sometimes":true}]"#
        let known = try JSONDecoder().decode([Conformance.KnownFailure].self, from: Data(text.utf8))
        #expect(known == [.init("a", reason: "b"), .init("c", reason: "d", message: "e", isOccasional: true)])
        #expect(try JSONDecoder().decode([Conformance.KnownFailure].self, from: JSONEncoder().encode(known)) == known)
    }

    @Test func `a name that a storage refuses is told`() async throws {
        var hooks = Hooks()
        hooks.write = { base, path, source, options in
            if path.name == "a:b" { throw FileError.make(.fileWriteInvalidFileName, path: path) }
            return try await base.writeContents(path: path, from: source, options: options)
        }
        let name = try #require(HostileName.all.first { $0.shown == "“a:b”" })
        let report = await Conformance(provider: BrokenProvider(MemoryFileProvider(), hooks: hooks), folder: .root) {
            $0 == name.fileBehaviour || $0 == name.folderBehaviour
        }.run()
        #expect(report.isConforming)
        #expect(report.outcome(of: name.fileBehaviour) == .refused)
        #expect(report.outcome(of: name.folderBehaviour) == .passed)
        #expect(
            report.description.contains(
                "· names: A file called “a:b” keeps its name or is refused (refused: CocoaError"))
    }

    @Test func `control characters are shown as pictures`() async throws {
        var hooks = Hooks()
        hooks.list = { base, path in try await base.contentsOfDirectory(path: path).filter { !$0.name.contains("\n") } }
        let report = await Conformance(provider: BrokenProvider(MemoryFileProvider(), hooks: hooks), folder: .root) {
            $0.contains("line␊feed")
        }
        .run()
        #expect(report.violations.count == 2)
        #expect(
            report.violations.allSatisfy {
                $0.id.contains("line␊feed") && $0.sentence.contains("line␊feed") && !$0.sentence.contains("\n")
            }
        )
    }
}
