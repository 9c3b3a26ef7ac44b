import FileProviderCore
import Foundation
import LocalFileProvider
import Logging
import MemoryFileProvider
import ProviderDoubles
import Sync
import Testing

@Suite(.timeLimit(.minutes(2))) struct SyncServiceTests {
    private let source = ControlledProvider("one")
    private let destination = ControlledProvider("two")
    private func bed(_ direction: SyncOptions.Direction = .mirror) throws -> SyncBed {
        try SyncBed(direction, source: source, destination: destination)
    }

    @Test(arguments: ["memory", "local"])
    func `a change of either side arrives at the other, and then it is quiet`(storage: String) async throws {
        let folder = try TemporaryFolder()
        let sides = try (0...1).map { side -> any FileProvider in
            if storage == "memory" { return MemoryFileProvider(MemoryConfiguration(name: "side\(side)")) }
            let url = folder.url.appending(path: "\(side)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            return try LocalFileProvider(root: url)
        }
        let bed = try SyncBed(.twoWay, source: sides[0], destination: sides[1])
        try await sides[0].put("/first", "1")
        try await bed.withService(.quick) { run in
            try await eventually { try await sides[1].tree() == ["/first 1"] }
            try await sides[0].put("/a/there", "2")
            try await eventually { try await sides[1].tree() == ["/a/", "/a/there 2", "/first 1"] }
            try await sides[1].put("/back", "3")
            try await eventually { try await sides[0].tree() == ["/a/", "/a/there 2", "/back 3", "/first 1"] }
            // What the runs wrote themselves is told as a change, too: by then there is nothing left to do.
            try await eventually { await run.state == .idle && run.reports.last?.hasChanges == false }
        }
    }

    @Test func `many changes are one run`() async throws {
        var options = SyncServiceOptions.patient
        options.quiet = 0.5
        try await bed().withService(options) { run in
            try await eventually { run.reports.count == 1 }
            for number in 1...50 { try await source.memory.put("/\(number)", "text") }
            let events = try (1...50).map { FileEvent(.created, path: try ProviderPath("/\($0)"), type: .regular) }
            // However long a machine takes for both.
            await run.service.pause()
            try await source.watches.values[0].tell(events)
            try await destination.tell("/1")
            await run.service.resume()
            try await eventually { run.reports.count == 2 }
            #expect(run.reports[1].created == 50)
            #expect(await run.state == .idle)
        }
    }

    @Test func `changes without end do not put a run off for ever`() async throws {
        var options = SyncServiceOptions.patient
        options.longestWait = 0.2
        try await bed().withService(options) { run in
            try await eventually { run.reports.count == 1 }
            var number = 0
            while run.reports.count < 3 {
                number += 1
                try await source.change("/a", "\(number)")
            }
        }
    }

    @Test func `what takes no part is no reason for a run`() async throws {
        let bed = try bed()
        let filter = try SyncFilter(["- *.tmp", "- cache/"])
        bed.options.update { $0.filter = filter }
        try await bed.withService(.patient) { run in
            try await eventually { run.reports.count == 1 }
            for path in ["/a.tmp", "/b/c.tmp", "/cache/x", "/d/cache/x/y", "/.carrel-trash/2026-11-23T024510Z/a"] {
                try await source.tell(path)
                #expect(await run.state == .idle, "\(path)")
            }
            try await source.tell("/", .rescan, type: .directory)
            #expect(await run.state == .waiting)
        }
    }

    @Test func `a side that is away is called ever more seldom, and then everything goes on`() async throws {
        destination.before.update { $0 = { call in if call == "list" { throw URLError(.cannotConnectToHost) } } }
        var options = SyncServiceOptions.quick
        options.longestPause = 0.05
        try await source.memory.put("/a", "1")
        try await bed().withService(options) { run in
            try await eventually { run.failures.count >= 5 }
            for (number, failure) in run.failures.prefix(5).enumerated() {
                let pause = min(0.05, 0.01 * Double(1 << number))
                #expect((pause / 2...pause).contains(failure.retryIn))
            }
            let metrics = await run.service.metrics
            #expect(metrics.consecutiveFailures >= 5 && metrics.lastError != nil && metrics.lastSuccess == nil)
            destination.before.update { $0 = { _ in } }
            try await eventually { run.reports.first?.created == 1 }
            #expect(await run.service.metrics.consecutiveFailures == 0)
            #expect(try await destination.memory.tree() == ["/a 1"])
        }
    }

    @Test func `while a side is away, changes of the other one call nobody`() async throws {
        destination.before.update { $0 = { call in if call == "list" { throw URLError(.cannotConnectToHost) } } }
        var options = SyncServiceOptions.quick
        (options.firstPause, options.longestPause) = (3600, 3600)
        try await bed().withService(options) { run in
            try await eventually { await run.state == .away }
            for number in 1...20 { try await source.change("/\(number)", "text") }
            #expect(await run.state == .away)
            #expect(run.failures.count == 1)
        }
    }

    @Test func `a run that is refused waits for a change`() async throws {
        let bed = try bed()
        bed.options.update { $0.deletes = true }
        try await source.memory.put("/a", "1")
        try await bed.run()
        try await source.memory.remove("/a")
        var options = SyncServiceOptions.quick
        options.rescan = 3600
        try await bed.withService(options) { run in
            try await eventually { await run.state == .refused }
            #expect(run.failures.map(\.retryIn) == [3600])
            try await source.tell("/a", .removed)
            try await eventually { run.failures.count == 2 }
            #expect(try await destination.memory.tree() == ["/a 1"], "nothing was removed")
            try await source.change("/a", "1")
            try await eventually { await run.state == .idle && run.reports.count >= 1 }
            #expect(run.failures.count == 2)
        }
    }

    @Test func `what failed for a passing reason is tried again without a change`() async throws {
        let fails = LockedValue(2)
        destination.before.update {
            $0 = { call in
                let fails = fails.update { fails in
                    if call == "write" { fails -= 1 }
                    return fails >= 0 && call == "write"
                }
                if fails { throw FileError.make(errno: EAGAIN, path: .root, writing: true) }
            }
        }
        try await source.memory.put("/a", "1")
        var options = SyncServiceOptions.patient
        (options.firstPause, options.longestPause) = (0.01, 0.05)
        try await bed().withService(options) { run in
            try await eventually { run.reports.count == 3 }
            #expect(run.reports.map(\.failures) == [1, 1, 0])
            #expect(try await destination.memory.tree() == ["/a 1"])
            #expect(await run.state == .idle)
        }
    }

    @Test func `a watch that falls is started anew, and what it missed is found`() async throws {
        var options = SyncServiceOptions.patient
        (options.quiet, options.firstPause, options.longestPause) = (0.01, 0.01, 0.05)
        try await bed().withService(options) { run in
            try await eventually { run.reports.count == 1 }
            try await source.memory.put("/a", "1")
            source.watches.values[0].fall(URLError(.networkConnectionLost))
            try await eventually { try await destination.memory.tree() == ["/a 1"] }
            try await eventually { source.watches.values.count == 2 }
            try await source.change("/b", "2")
            try await eventually { try await destination.memory.tree() == ["/a 1", "/b 2"] }
        }
    }

    @Test func `a folder that cannot be watched is looked at again and again`() async throws {
        source.before.update { $0 = { call in if call == "watch" { throw URLError(.networkConnectionLost) } } }
        var options = SyncServiceOptions.patient
        options.watch.maxInterval = 0.02
        try await bed().withService(options) { run in
            try await eventually { run.reports.count >= 2 }
            try await source.memory.put("/a", "1")
            try await eventually { try await destination.memory.tree() == ["/a 1"] }
        }
    }

    @Test func `a storage that tells nothing is listed once a look, and what is found there arrives`() async throws {
        let silent = SilentProvider("one")
        var options = SyncServiceOptions.patient
        (options.watch.minInterval, options.watch.maxInterval) = (0.01, 0.02)
        try await silent.memory.put("/f/a", "1")
        let bed = try SyncBed(.mirror, source: silent, destination: destination)
        // Nobody looks whether there is a trash.
        bed.options.update { $0.trashAge = nil }
        let runs = LockedValue(0)
        try await bed.withService(options) { run in
            try await eventually { run.reports.count >= 5 }
            try await silent.memory.put("/b", "2")
            try await eventually { try await destination.memory.tree() == ["/b 2", "/f/", "/f/a 1"] }
            #expect(run.events.values.allSatisfy { if case .unwatched = $0 { false } else { true } })
            await run.service.pause()
            let began = run.events.values.count { if case .began = $0 { true } else { false } }
            runs.update { $0 = began }
        }
        // Two folders in each run, of which one more may have begun.
        #expect(silent.lists.value <= 2 * (runs.value + 1))
    }

    @Test func `a refused run is looked at again where nobody tells of a change`() async throws {
        let silent = SilentProvider("one")
        let bed = try SyncBed(.mirror, source: silent, destination: destination)
        bed.options.update { $0.deletes = true }
        for number in 0..<8 { try await silent.memory.put("/\(number)", "text") }
        try await bed.run()
        for number in 0..<7 { try await silent.memory.remove("/\(number)") }
        var options = SyncServiceOptions.patient
        options.longestPause = 0.02
        try await bed.withService(options) { run in
            try await eventually { run.failures.count >= 2 }
            #expect(run.failures.allSatisfy { $0.retryIn == 0.02 })
            for number in 0..<7 { try await silent.memory.put("/\(number)", "text") }
            try await eventually { await run.state == .idle }
        }
    }

    @Test func `what fails for good is no reason to be well`() async throws {
        destination.before.update {
            $0 = { call in
                if call == "write" { throw FileError.make(.fileWriteNoPermission, path: "/a", sentence: "Read-only.") }
            }
        }
        try await source.memory.put("/a", "1")
        var options = SyncServiceOptions.patient
        options.quiet = 0.01
        try await bed().withService(options) { run in
            try await eventually { await run.state == .incomplete }
            let metrics = await run.service.metrics
            #expect(metrics.unfinished == 1 && metrics.lastError == "/a at the destination: Read-only.")
            destination.before.update { $0 = { _ in } }
            try await source.tell("/a")
            try await eventually { await run.state == .idle }
            #expect(try await destination.memory.tree() == ["/a 1"])
        }
    }

    @Test func `what the other side cannot hold is no reason to be well`() async throws {
        try await source.memory.put("/x", "1")
        try await destination.memory.put("/x/y", "2")
        try await bed(.mirror).withService(.patient) { run in
            try await eventually { await run.state == .incomplete }
            let metrics = await run.service.metrics
            #expect(metrics.unfinished == 1 && metrics.lastError?.hasPrefix("/x at the destination: ") == true)
        }
    }

    @Test func `a watch that ends is told`() async throws {
        try await bed().withService(.patient) { run in
            try await eventually { run.reports.count == 1 }
            source.watches.values[0].fall(URLError(.networkConnectionLost))
            try await eventually {
                run.events.values.contains {
                    if case .unwatched(.source, let error) = $0 {
                        (error as? URLError)?.code == .networkConnectionLost
                    } else {
                        false
                    }
                }
            }
        }
    }

    @Test func `a folder that the first run makes is watched from then on`() async throws {
        let fails = LockedValue(true)
        destination.before.update {
            $0 = { call in
                if call == "watch", fails.value { throw FileError.make(.fileReadNoSuchFile, path: .root) }
                if call == "write" { fails.update { $0 = false } }
            }
        }
        try await source.memory.put("/a", "1")
        var options = SyncServiceOptions.patient
        options.quiet = 0.01
        try await bed(.twoWay).withService(options) { run in
            try await eventually { destination.watches.values.count == 1 }
            try await destination.change("/b", "2")
            try await eventually { try await source.memory.tree() == ["/a 1", "/b 2"] }
        }
    }

    @Test func `both sides are watched before the first run`() async throws {
        let attempts = CollectedValues<Int>()
        destination.before.update {
            $0 = { [source, destination] call in
                if call == "list" { attempts.append(source.attempts.value + destination.attempts.value) }
            }
        }
        try await bed().withService(.patient) { run in
            try await eventually { run.reports.count == 1 }
            #expect(attempts.values.first == 2)
        }
        destination.before.update { $0 = { _ in } }
    }

    @Test func `a service that is held back runs when it goes on`() async throws {
        var options = SyncServiceOptions.patient
        options.quiet = 0.01
        try await bed().withService(options) { run in
            try await eventually { run.reports.count == 1 }
            await run.service.pause()
            try await source.change("/a", "1")
            #expect(await run.state == .paused)
            await run.service.resume()
            try await eventually { run.reports.count == 2 }
            #expect(run.reports[1].created == 1)
        }
    }

    @Test func `a run under way ends with the task`() async throws {
        source.before.update { $0 = { call in if call == "list" { try await Task.sleep(for: .seconds(3600)) } } }
        try await bed().withService(.patient) { run in
            try await eventually { source.calls.values.contains("list") }
            #expect(await run.state == .running)
        }
        // Here the service has ended; the time limit is the test.
    }

    @Test func `a service runs once at a time, and again afterwards`() async throws {
        try await bed().withSync { sync in
            let service = SyncService(sync, options: .patient)
            for _ in 1...2 {
                let run = ServiceRun(service)
                let task = Task { try await service.run { run.events.append($0) } }
                try await eventually { run.reports.count == 1 }
                await #expect { try await service.run() } throws: { ($0 as? CocoaError)?.code == .fileLocking }
                task.cancel()
                try await task.value
            }
            #expect(await service.metrics.runs == 2)
        }
    }

    @Test func `stopping ends the run under way, and another one may follow at once`() async throws {
        source.before.update { $0 = { call in if call == "list" { try await Task.sleep(for: .seconds(3600)) } } }
        try await bed().withSync { sync in
            let service = SyncService(sync, options: .patient)
            // Nothing runs yet.
            await service.stop()
            let task = Task { try await service.run() }
            try await eventually { source.calls.values.contains("list") }
            await service.stop()
            source.before.update { $0 = { _ in } }
            let run = ServiceRun(service)
            let next = Task { try await service.run { run.events.append($0) } }
            try await task.value
            try await eventually { run.reports.count == 1 }
            await service.stop()
            try await next.value
        }
    }

    @Test func `events come as a sequence that ends with the service`() async throws {
        try await source.memory.put("/a", "1")
        try await bed().withSync { sync in
            let service = SyncService(sync, options: .patient)
            let sequences = [service.events, service.events]
            let task = Task { try await service.run() }
            for events in sequences {
                var created: [Int] = []
                var steps: [String] = []
                for await event in events {
                    switch event {
                    case .ended(let report):
                        created.append(report.created)
                        if created.count == 1 { Task { await service.stop() } }
                    case .sync(.done(let action)): steps.append(action.path.string)
                    default: break
                    }
                }
                #expect(created == [1] && steps == ["/a"])
            }
            try await task.value
        }
    }

    @Test(arguments: [true, false])
    func `a sequence of events ends when the service is released, also after a run`(_ runs: Bool) async throws {
        try await bed().withSync { sync in
            let events = try await eventsOfReleasedService(sync, runs: runs)
            // Without an end, the time limit is the test.
            for await event in events { Issue.record("\(event) came from a service that is gone.") }
        }
    }

    private func eventsOfReleasedService(_ sync: FolderSync, runs: Bool) async throws
        -> some AsyncSequence<SyncService.Event, Never> & Sendable
    {
        let service = SyncService(sync, options: .patient)
        if runs {
            let task = Task { [events = service.events] in
                for await event in events { if case .ended = event { break } }
                await service.stop()
            }
            try await service.run()
            await task.value
        }
        return service.events
    }

    @Test func `metrics and logs tell what was done, without secrets`() async throws {
        let lines = CollectedValues<String>()
        let logger = Logger(label: "test") { _ in RecordingHandler(lines: lines) }
        try await source.memory.put("/a/b", "12345")
        try await bed().withService(.patient, logger: logger) { run in
            try await eventually { run.reports.count == 1 }
            let metrics = await run.service.metrics
            #expect(metrics.runs == 1 && metrics.created == 2 && metrics.bytes == 5 && metrics.failedRuns == 0)
            #expect(metrics.lastSuccess != nil && metrics.state == .idle)
        }
        let log = lines.values.joined(separator: "\n")
        #expect(
            log.contains("2 created") && log.contains("done: create /a/b at the destination") && log.contains("mem://"))
        #expect(!log.contains("s3cret"))
    }

    @Test func `what fails in every run is a warning once, and again when it fails anew`() async throws {
        let lines = CollectedValues<String>()
        let logger = Logger(label: "test") { _ in RecordingHandler(lines: lines) }
        let silent = SilentProvider("silent")
        let isOpen = LockedValue(false)
        destination.beforePath.update {
            $0 = { call, path in
                if call == "write", path.name.contains("\n"), !isOpen.value {
                    throw FileError.make(.fileWriteNoPermission, path: path)
                }
            }
        }
        try await silent.memory.put("/a\nb", "1")
        var warnings: [String] { lines.values.filter { $0.hasPrefix("warning") } }
        try await SyncBed(.mirror, source: silent, destination: destination).withService(.quick, logger: logger) {
            run in
            try await eventually { run.reports.count >= 3 }
            let isNamed = warnings.first?.contains("/a\u{FFFD}b at the destination") == true
            #expect(warnings.count == 1 && isNamed, "\(warnings)")
            isOpen.update { $0 = true }
            try await eventually { run.reports.last?.failures == 0 }
            isOpen.update { $0 = false }
            try await silent.memory.put("/a\nb", "another")
            try await eventually { warnings.count == 2 }
        }
    }
}

/// A storage in memory that tells of no change by itself.
private final class SilentProvider: ForwardingProvider {
    static let type = "Silent"
    let memory: MemoryFileProvider
    var underlying: any FileProvider { memory }
    let lists = LockedValue(0)

    init(_ name: String) {
        memory = SyncBed.memory(name)
    }

    func pass<Value: Sendable>(_ call: String, _ path: ProviderPath, _ body: () async throws -> Value) async throws
        -> Value
    {
        if call == "list" { lists.update { $0 += 1 } }
        return try await body()
    }
}

/// Keeps every message with its metadata.
private struct RecordingHandler: LogHandler {
    let lines: CollectedValues<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.append("\(event.level) \(event.message) \(metadata)") }
}
