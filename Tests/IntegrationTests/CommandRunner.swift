import Carrel
import Foundation
import Testing

/// Runs the `carrel` that was built with the tests, as a process.
struct CommandRunner: Sendable {
    /// What came of one run.
    struct Outcome: Sendable {
        var code: Int32
        var output: Data
        var error: String

        var text: String { String(decoding: output, as: UTF8.self) }
        /// Lines on standard error.
        var errorLines: [String] { error.split(separator: "\n").map(String.init) }
        /// Standard output as JSON.
        var json: Any? { try? JSONSerialization.jsonObject(with: output) }
        var object: [String: Any] { json as? [String: Any] ?? [:] }
        /// What stands under `error` in the JSON document.
        var failure: [String: Any] { object["error"] as? [String: Any] ?? [:] }
        /// The JSON of `--stats`.
        var statistics: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data((errorLines.last ?? "").utf8))) as? [String: Any] ?? [:]
        }
    }

    /// The built executable: it lies beside the one that runs now, unless `CARREL_TEST_PROGRAM` names another.
    static let executable: URL? = {
        if let other = ProcessInfo.processInfo.environment["CARREL_TEST_PROGRAM"] { return URL(fileURLWithPath: other) }
        return built("carrel")
    }()

    /// An executable of the package that lies beside the one that runs now.
    static func built(_ name: String) -> URL? {
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return nil }
        let beside = URL(fileURLWithPath: own).deletingLastPathComponent()
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }.map {
            URL(fileURLWithPath: $0).deletingLastPathComponent()
        }
        return [bundle, beside].compactMap(\.self).map { $0.appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// A folder of the test's own, where the command runs and finds its home.
    let folder: URL
    var environment: [String: String]

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "carrel-command-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin"]
    }

    /// Runs `body` and removes the folder after it.
    static func use<Value>(_ body: (inout CommandRunner) async throws -> Value) async throws -> Value {
        var runner = try CommandRunner()
        defer { try? FileManager.default.removeItem(at: runner.folder) }
        return try await body(&runner)
    }

    // MARK: Files

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func write(_ name: String, _ content: Data) throws { try content.write(to: folder.appending(path: name)) }

    func write(_ name: String, _ content: String) throws { try write(name, Data(content.utf8)) }

    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
    }

    /// The names in a folder, hidden ones among them.
    func names(_ name: String = ".") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: name).path).sorted()
    }

    // MARK: Running

    /// Runs the command to its end.
    ///
    /// - Parameters:
    ///   - interruptWhen: Asked again and again; a signal is sent at its first yes.
    ///   - signal: Which.
    func run(_ arguments: String..., input: Data = Data(), interruptWhen: (@Sendable () -> Bool)? = nil) async throws
        -> Outcome
    {
        try await run(arguments, input: input, interruptWhen: interruptWhen)
    }

    func run(
        _ arguments: [String], input: Data = Data(), interruptWhen: (@Sendable () -> Bool)? = nil,
        signal: Int32 = SIGINT
    ) async throws -> Outcome {
        try await start(
            #require(Self.executable, "carrel lies beside the tests"), arguments, input, interruptWhen, signal)
    }

    /// Runs a line of shell, in which `$CARREL` is the command.
    func shell(_ line: String) async throws -> Outcome {
        var runner = self
        runner.environment["CARREL"] = try #require(Self.executable).path
        return try await runner.start(URL(fileURLWithPath: "/bin/bash"), ["-c", line], Data(), nil, SIGINT)
    }

    /// Input and output are files: none of them can hold the process up. After a minute it is killed.
    private func start(
        _ executable: URL, _ arguments: [String], _ input: Data, _ interruptWhen: (@Sendable () -> Bool)?,
        _ signal: Int32
    ) async throws -> Outcome {
        let run = folder.deletingLastPathComponent().appending(path: "carrel-run-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: run, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: run) }
        let files = ["in", "out", "err"].map { run.appending(path: $0) }
        try input.write(to: files[0])
        for file in files[1...] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = environment
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        let code = try await Self.wait(for: process, interruptWhen: interruptWhen, signal)
        return Outcome(
            code: code, output: try Data(contentsOf: files[1]),
            error: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
    }

    private static let beginning = LockedValue(())

    /// Starts a process; one after the other: of two that start at once, one may inherit what shows Foundation that the
    /// other is over, and then it is not over before both are.
    static func begin(_ process: Process) throws { try beginning.update { _ in try process.run() } }

    private static func wait(for process: Process, interruptWhen: (@Sendable () -> Bool)?, _ signal: Int32) async throws
        -> Int32
    {
        let ended = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            ended.continuation.yield(
                process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
            ended.continuation.finish()
        }
        try Self.begin(process)
        let pid = process.processIdentifier
        let watch = Task {
            // What is interrupted may have to run for as long as a test takes.
            let pause = Duration.milliseconds(signal == SIGKILL ? 2 : 50)
            for _ in 0..<Int((interruptWhen == nil ? .seconds(30) : .seconds(180)) / pause) {
                try await Task.sleep(for: pause)
                guard let interruptWhen, interruptWhen() else { continue }
                kill(pid, signal)
                break
            }
            try await Task.sleep(for: .seconds(30))
            kill(pid, SIGKILL)
        }
        defer { watch.cancel() }
        for await code in ended.stream { return code }
        return -1
    }
}

/// Expects one line `carrel: VERB …: sentence` on standard error, and the exit code.
func expectFailure(
    _ outcome: CommandRunner.Outcome, _ code: Int32, _ line: String? = nil,
    at location: SourceLocation = #_sourceLocation
) {
    #expect(outcome.code == code, "\(outcome.error)", sourceLocation: location)
    #expect(
        outcome.errorLines.count == 1 && outcome.error.hasPrefix("carrel: "), "\(outcome.error)",
        sourceLocation: location)
    if let line { #expect(outcome.error.contains(line), sourceLocation: location) }
}
