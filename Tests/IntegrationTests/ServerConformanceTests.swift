import Carrel
import FileProviderConformance
import Foundation
import Testing

/// The conformance kit on real servers. What a server cannot do is listed with its reason; one that starts to work fails the run.
@Suite(.enabled(if: !TestServers.webDAV.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct ServerConformanceTests {
    /// Behaviour by server, with the reason.
    private static let known: [String: [String: String]] = [
        "nginx, Basic": ["A file called “.hidden” keeps its name": "nginx leaves names with a leading dot out of its listings"],
        "nginx, HTTP/2": ["A file called “.hidden” keeps its name": "nginx leaves names with a leading dot out of its listings"],
    ]

    /// What a server does at times only: violations whose sentence has these words are passed over.
    private static let passing: [String: [String: String]] = [
        "rclone": [
            "was left behind": "rclone brings the part of a broken upload to light up to seconds after the connection has gone",
            "nothing was replaced": "rclone tells the size of a file just written from a cache, now and then for seconds",
            "not well-formed XML": "rclone appends an error's text to a listing when a file vanishes while it is made",
        ]
    ]

    @Test(arguments: TestServers.webDAV)
    func `the server's provider keeps every promise`(_ server: TestServers.WebDAV) async throws {
        try await server.withFolder { provider, folder in
            let report = await Conformance(provider: provider, folder: folder, connect: { try server.provider() }).run()
            let known = Self.known[server.name] ?? [:]
            let passing = Self.passing[server.name] ?? [:]
            let broken = report.violations.filter { violation in
                known[violation.behaviour] == nil && !passing.keys.contains { violation.sentence.contains($0) }
            }
            #expect(broken.isEmpty, "\(broken.map { "\($0.behaviour): \($0.sentence)" }.joined(separator: "\n"))")
            #expect(Set(known.keys).isSubset(of: report.violations.map(\.behaviour)), "a known failure has gone: take it off the list")
            #expect(report.passedCount >= 60)
        }
    }

    @Test func `a folder on this machine keeps every promise`() async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        let report = await Conformance(
            provider: try LocalFileProvider(root: root), folder: .root, connect: { try LocalFileProvider(root: root) }
        ).run()
        #expect(report.isConforming, "\(report)")
    }
}
