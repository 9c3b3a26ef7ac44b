import FileProviderCore
import Foundation
import Logging
import MemoryFileProvider
import ProviderDoubles
import Synchronization
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// A driver over a folder in memory, and an application of few lines that acts each time the driver waits, as the test
/// says.
final class DriverBed: Sendable {
    /// What the application does next; called with its own count of the looks that the driver took.
    typealias Script = @Sendable (DriverBed, Int) async throws -> Void

    /// The storage as the driver has it; the application's is always well.
    let provider: FlakyProvider
    let folder: StagingFolder
    let time = ManualTime(passing: 4.5)
    let coding = MessageCoding()
    let context: DriverContext
    let session: DriverSession
    private let looks = Mutex(0)
    private let script = Mutex<Script?>(nil)
    private let failure = Mutex<(any Error)?>(nil)

    /// The longest wait that passes by itself is shorter than the limit on calls that hang.
    init(
        _ options: DriverOptions = DriverBed.options, reader: (any LibrarySnapshotReader)? = nil,
        capacity: Int64? = nil,
        logger: Logger = .silent
    ) throws {
        provider = FlakyProvider(capacity: capacity)
        folder = StagingFolder(provider: provider.base, path: try ProviderPath("Library/calibre"))
        context = DriverContext(snapshotReader: reader, time: time, logger: logger)
        session = DriverSession(
            staging: StagingFolder(provider: provider, path: folder.path), options: options, context: context)
        time.onStep { [weak self] _ in await self?.step() }
    }

    /// The folder as drivers have it.
    var staging: StagingFolder { session.staging }

    /// Another driver over the same folder, which knows nothing of the first.
    func anotherSession() -> DriverSession {
        DriverSession(staging: staging, options: session.options, context: context)
    }

    static var options: DriverOptions {
        var options = DriverOptions()
        options.pollInterval = 0.25
        return options
    }

    /// An application in connection mode, whose looks go to `script`.
    func begin(_ attributes: [String: String] = [:], _ script: @escaping Script = { _, _ in }) async throws {
        try await folder.create()
        try await say(ConnectedMessage(timestamp: 1, state: .online, attributes: attributes))
        self.script.withLock { $0 = script }
    }

    private func step() async {
        let look = looks.withLock { looks in
            looks += 1
            return looks
        }
        do { try await script.withLock { $0 }?(self, look) } catch { failure.withLock { $0 = error } }
    }

    /// The error of the script, if it had one.
    func check() throws { if let error = failure.withLock({ $0 }) { throw error } }

    // MARK: What the application does

    func say(_ connected: ConnectedMessage) async throws {
        try await folder.publish(coding.data(for: connected), as: ConnectedMessage.fileName)
    }

    func report(_ status: CommandStatus) async throws {
        try await put(coding.data(for: status), CommandStatus.fileName)
    }

    func report(
        _ code: CommandStatus.Code, _ progress: Double = 0, at timestamp: Double = 1, _ messages: [StatusMessage] = []
    ) async throws {
        try await report(CommandStatus(timestamp: timestamp, code: code, progress: progress, messages: messages))
    }

    func put(_ data: Data, _ name: String) async throws { try await folder.publish(data, as: name) }

    /// A list of books for ``JSONSnapshotReader``.
    func publish(_ books: [LibraryBook]) async throws { try await put(JSONEncoder().encode(books), "library.sqlite") }

    /// Takes the command away and says how it ended.
    func finish(_ kind: ReaderCommand.Kind, _ code: CommandStatus.Code = .success, _ messages: [StatusMessage] = [])
        async throws
    {
        guard try await folder.remove(kind.fileName) else { return }
        try await report(code, 1, at: 2, messages)
    }

    /// The command in the folder, if there is one.
    func command(_ kind: ReaderCommand.Kind) async throws -> ReaderCommand? {
        guard let data = try await folder.read(kind.fileName, limit: 64 << 20) else { return nil }
        return try coding.command(named: kind.fileName, in: data).command
    }

    /// The names of all files in the folder but `connected.xml`.
    func names() async throws -> Set<String> {
        Set(try await folder.files().map(\.name)).subtracting([ConnectedMessage.fileName])
    }

    func delete() async throws -> CommandReport {
        try await session.delete([BookReference(filename: "a.epub", title: "A")])
    }

    /// The kind of error with which `body` ends.
    func kind<Value>(of body: () async throws -> Value) async throws -> DriverError.Kind? {
        do {
            _ = try await body()
            try check()
            return nil
        } catch let error as DriverError {
            try check()
            return error.kind
        }
    }
}

/// A folder in memory whose calls fail or hang when the test says so.
final class FlakyProvider: ForwardingProvider {
    /// What comes of a call.
    enum Mood: Sendable {
        case well
        case failing
        case hanging
        /// Waits until ``FlakyProvider/land()``, whatever happens meanwhile, and goes well then.
        case late
    }

    static let type = "Flaky"
    let base: MemoryFileProvider
    private let mood = Mutex<@Sendable (_ call: String, ProviderPath) -> Mood>({ _, _ in .well })
    private let log = Mutex<[String]>([])
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

    init(capacity: Int64?) { base = MemoryFileProvider(MemoryConfiguration(capacity: capacity)) }

    var underlying: any FileProvider { base }
    /// The calls so far, each with the name of its file.
    var calls: [String] { log.withLock { $0 } }

    func become(_ mood: @escaping @Sendable (_ call: String, ProviderPath) -> Mood) { self.mood.withLock { $0 = mood } }

    /// Whether a call is late.
    var isLate: Bool { waiting.withLock { !$0.isEmpty } }

    /// Lets late calls go on.
    func land() {
        let late = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for continuation in late { continuation.resume() }
    }

    func pass<Value: Sendable>(_ call: String, _ path: ProviderPath, _ body: () async throws -> Value) async throws
        -> Value
    {
        log.withLock { $0.append("\(call) \(path.name)") }
        switch mood.withLock({ $0 })(call, path) {
        case .well: break
        case .failing: throw URLError(.networkConnectionLost)
        // Deaf to cancellation, too.
        case .late: await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
        case .hanging: await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
        }
        return try await body()
    }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        try await pass("write", path) {
            // As a server that goes on when nobody waits for it any more.
            try await Task { [base] in try await base.writeContents(path: path, from: source, options: options) }.value
        }
    }
}
