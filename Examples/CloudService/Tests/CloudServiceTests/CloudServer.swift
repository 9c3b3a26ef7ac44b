import CloudFileProvider
import Foundation
import HTTPFileProvider
import Testing

/// The double of the cloud, a process that ends with this one.
final class CloudServer: Sendable {
    let url: URL
    private let process = Process()
    /// Its end is the server's.
    private let input = Pipe()

    init(_ arguments: String...) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../server.py")
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-B", script.standardizedFileURL.path, "--with-parent"] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { throw URLError(.cannotConnectToHost) }
            line += more
        }
        url = try #require(URL(string: String(decoding: line.dropLast(), as: UTF8.self)))
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
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
