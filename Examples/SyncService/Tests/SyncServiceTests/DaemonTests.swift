import FileProviderCore
import Foundation
import Sync
import Testing

@testable import SyncDaemon

@Suite(.timeLimit(.minutes(3))) struct DaemonTests {
    private let bed: DaemonBed

    init() throws {
        bed = try DaemonBed()
    }

    @Test func `two folders are kept in step until the daemon is told to end`() async throws {
        let file = try bed.configure()
        try bed.put("one/first", "1")
        let daemon = Task { await SyncDaemon.main([file], environment: [:]) }
        try await eventually { bed.text("two/first") == "1" }
        try bed.put("two/back", "2")
        try bed.put("one/left.tmp", "out")
        try await eventually { bed.text("one/back") == "2" }
        try await eventually { try Health.read(bed.path("health.json")).health.pairs["books"]?.created == 2 }
        #expect(await SyncDaemon.main(["--health", bed.path("health.json")]) == 0)
        #expect(bed.text("sync.prom")?.contains("carrel_sync_created_total{pair=\"books\"}") == true)
        daemon.cancel()
        #expect(await daemon.value == 0)
        #expect(bed.text("two/left.tmp") == nil && bed.text("health.json") == nil)
        // The state was given back.
        let again = Task { await SyncDaemon.main([file], environment: [:]) }
        try bed.put("one/later", "3")
        try await eventually { bed.text("two/later") == "3" }
        again.cancel()
        #expect(await again.value == 0)
    }

    @Test func `the program ends cleanly at SIGTERM, and its metrics are there for others whatever the umask is`()
        async throws
    {
        let file = try bed.configure()
        try bed.put("one/first", "1")
        let process = Process()
        let executable = try #require(Self.executable, "sync-service lies beside the tests")
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "umask 0077; exec \"$0\" \"$1\"", executable.path, file]
        process.environment = ["HOME": bed.folder.path]
        let ended = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in ended.continuation.finish() }
        try process.run()
        try await eventually { bed.text("two/first") == "1" }
        #expect(
            try FileManager.default.attributesOfItem(atPath: bed.path("sync.prom"))[.posixPermissions] as? Int == 0o644)
        process.terminate()
        for await _ in ended.stream {}
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    }

    @Test func `wrong arguments and what cannot be opened have codes of their own`() async throws {
        #expect(await SyncDaemon.main([]) == 2)
        #expect(await SyncDaemon.main(["--help", "x"]) == 2)
        #expect(await SyncDaemon.main([bed.path("missing.json")]) == 1)
        #expect(await SyncDaemon.main(["--check", try bed.configure()]) == 0)
        let same = #"{"url": "\#(bed.path("one"))"}"#
        let toItself =
            #"{"state": "\#(bed.path("state"))", "pairs": [{"name": "a", "source": \#(same), "destination": \#(same)}]}"#
        #expect(await SyncDaemon.main([try bed.configure(toItself)], environment: [:]) == 1)
        let stateless = #"{"pairs": [{"name": "a", "source": {"url": "/a"}, "destination": {"url": "/b"}}]}"#
        #expect(await SyncDaemon.main([try bed.configure(stateless)], environment: [:]) == 1)
    }

    @Test func `a pair that cannot be opened holds up no other, and shows in the health`() async throws {
        func location(_ name: String) -> String { #"{"url": "\#(bed.path(name))"}"# }
        let pairs = [("bad", "one", "one"), ("good", "one", "two")].map { name, source, destination in
            #"{"name": "\#(name)", "source": \#(location(source)), "destination": \#(location(destination))}"#
        }
        let file = try bed.configure(
            #"{"state": "\#(bed.path("state"))", "health": "\#(bed.path("health.json"))", "pairs": [\#(pairs.joined(separator: ", "))]}"#
        )
        try bed.put("one/first", "1")
        let daemon = Task { await SyncDaemon.main([file], environment: [:]) }
        try await eventually { bed.text("two/first") == "1" }
        let bad = try #require(try Health.read(bed.path("health.json")).health.pairs["bad"])
        #expect(bad.state == .incomplete && bad.lastError?.contains("neither may be, or be inside, the other") == true)
        #expect(await SyncDaemon.main(["--health", bed.path("health.json")]) == 1)
        daemon.cancel()
        #expect(await daemon.value == 0)
    }

    @Test
    func
        `a pair that cannot be reached at the start holds up no other, and is tried again while those have nothing to do`()
        async throws
    {
        // Nothing listens there.
        let pairs =
            #"{"name": "far", "source": {"url": "https://127.0.0.1:9/x"}, "destination": {"url": "\#(bed.path("three"))"}}, "#
            + #"{"name": "near", "source": {"url": "\#(bed.path("one"))"}, "destination": {"url": "\#(bed.path("two"))"}}"#
        let file = try bed.configure(
            #"{"state": "\#(bed.path("state"))", "health": "\#(bed.path("health.json"))", "pairs": [\#(pairs)]}"#)
        let configuration = try await ConfigurationFile.load(Configuration.self, from: file)
        for number in 1...2 {
            try bed.put("one/\(number)", "new")
            let daemon = try await SyncDaemon(configuration, environment: [:])
            let run = Task { try await daemon.run() }
            try await eventually { bed.text("two/\(number)") == "new" }
            let far = try #require(try Health.read(bed.path("health.json")).health.pairs["far"])
            #expect(far.state == .away && far.lastError?.contains("127.0.0.1") == true)
            run.cancel()
            #expect(try await run.value == false)
            #expect(try await SyncDaemon(configuration, environment: [:], retry: 0.2).run())
        }
    }

    @Test func `under systemd its credentials are asked, and no home`() async throws {
        let (origin, pair) = (Origin(scheme: "https", host: "nas", port: 443), "books")
        // Not even root reads a folder as a file.
        try FileManager.default.createDirectory(
            at: bed.folder.appending(path: ".netrc"), withIntermediateDirectories: true)
        let home = ["HOME": bed.folder.path]
        await #expect(throws: CocoaError.self) {
            _ = try await SyncDaemon.credentials(pair, .source, home).credential(for: origin, user: "me")
        }
        let systemd = home.merging(["CREDENTIALS_DIRECTORY": bed.folder.path]) { $1 }
        #expect(try await SyncDaemon.credentials(pair, .source, systemd).credential(for: origin, user: "me") == nil)
        try bed.put("netrc", "machine nas login me password one")
        #expect(
            try await SyncDaemon.credentials(pair, .source, systemd).credential(for: origin, user: "me")
                == .password(user: "me", password: "one"))
        try bed.put("books.source", "two")
        #expect(
            try await SyncDaemon.credentials(pair, .source, systemd).credential(for: origin, user: "me")
                == .password(user: "me", password: "two"))
    }

    @Test func `health is good while the file is fresh and no pair needs somebody to look`() async throws {
        func health(_ state: SyncMetrics.State, age: Double) async throws -> Int32 {
            var metrics = SyncMetrics()
            metrics.state = state
            let health = Health(written: Date() - age, interval: 30, pairs: ["good": SyncMetrics(), "other": metrics])
            try health.write(to: bed.path("health.json"))
            return await SyncDaemon.main(["--health", bed.path("health.json")])
        }
        let good: Set<SyncMetrics.State> = [.idle, .running, .waiting, .paused]
        for state in SyncMetrics.State.allCases {
            #expect(try await health(state, age: 0) == (good.contains(state) ? 0 : 1), "\(state)")
        }
        #expect(try await health(.idle, age: 90) == 0)
        #expect(try await health(.idle, age: 200) == 1)
        #expect(await SyncDaemon.main(["--health", bed.path("none.json")]) == 1)
        try bed.put("health.json", "{}")
        #expect(await SyncDaemon.main(["--health", bed.path("health.json")]) == 1)
    }

    private static let executable: URL? = {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
        return [bundle, own].compactMap(\.self)
            .map { URL(fileURLWithPath: $0).deletingLastPathComponent().appending(path: "sync-service") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()
}
