import CloudFileProvider
import Foundation
import HTTPFileProvider
import Testing

/// The double of the cloud, a process that ends with this one.
final class CloudServer: Sendable {
    let url: URL
    private let script: PythonScript

    init(_ arguments: String...) throws {
        let output = Pipe()
        script = try PythonScript("server.py", ["--with-parent"] + arguments, output: output)
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { throw URLError(.cannotConnectToHost) }
            line += more
        }
        url = try #require(URL(string: String(decoding: line.dropLast(), as: UTF8.self)))
    }

    /// Ends the server.
    func terminate() { script.terminate() }

    /// Ends the server, and waits for its end.
    func stop() async {
        script.terminate()
        _ = await script.status()
    }

    func options(token: String = "token") -> ConnectionOptions {
        ConnectionOptions(
            credentials: FixedCredential(.bearer(token)), retries: RetryPolicy(retries: 2, firstPause: 0.01))
    }

    func provider(token: String = "token") throws -> HTTPFileProvider<CloudService> {
        try HTTPFileProvider(service: CloudService(api: url), url: url, options: options(token: token))
    }

    /// Has the server do what the API has no word for.
    @discardableResult
    func control(_ name: String, _ argument: String = "null") async throws -> Data {
        let connection = try HTTPConnection(url: url, options: options())
        var request = HTTPRequest("POST", path: .root, body: .data(Data(argument.utf8)), isWriting: true)
        request.url = url.deletingLastPathComponent().appending(path: "double/\(name)")
        return try await connection.data(for: request).0
    }

    /// How often each route was called since the last time.
    func requests() async throws -> [String: Int] {
        try JSONDecoder().decode([String: Int].self, from: await control("requests"))
    }
}

/// A run of one of the scripts beside this package's sources.
struct PythonScript {
    private let process = Process()
    private let ended = AsyncStream.makeStream(of: Void.self)

    init(_ name: String, _ arguments: [String] = [], output: Pipe? = nil) throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-B", package.appending(path: name).standardizedFileURL.path] + arguments
        // Nothing is written to it: its end is this process's.
        process.standardInput = Pipe()
        if let output { process.standardOutput = output }
        process.terminationHandler = { [continuation = ended.continuation] _ in continuation.finish() }
        try process.run()
    }

    /// No SIGTERM: a child may have got it blocked, as the threads of its parent have it.
    func terminate() { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    func status() async -> Int32 {
        for await _ in ended.stream {}
        return process.terminationStatus
    }
}
