import Foundation
import Testing

/// A folder with everything that a daemon needs: two folders, a configuration and a state.
final class DaemonBed: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sync-service-\(UInt64.random(in: 0 ... .max))")

    init() throws {
        for name in ["one", "two"] {
            try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A path in the bed.
    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Writes a configuration.
    func configure(_ text: String) throws -> String {
        try put("config.json", text)
        return path("config.json")
    }

    /// Writes the configuration of one pair, in both directions, and quick.
    func configure() throws -> String {
        try configure(
            """
            {"state": "\(path("state"))", "health": "\(path("health.json"))", "prometheus": "\(path("sync.prom"))", "logLevel": "error",
             "pairs": [{"name": "books", "source": {"url": "\(path("one"))"}, "destination": {"url": "\(path("two"))"},
                        "options": {"direction": "twoWay", "filter": ["- *.tmp"]}, "service": {"quiet": 0.05, "longestWait": 1}}]}
            """)
    }

    func put(_ name: String, _ text: String) throws { try Data(text.utf8).write(to: folder.appending(path: name)) }

    /// The text of a file; nil where there is none.
    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Waits until `condition` holds, a minute at most.
func eventually(_ condition: () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try await !condition() {
        try #require(ContinuousClock.now < deadline, "it did not happen", sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(5))
    }
}
