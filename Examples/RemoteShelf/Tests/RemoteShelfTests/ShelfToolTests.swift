import Foundation
import Testing

/// What `value` gives once it gives something.
func eventually<Value>(_ location: SourceLocation = #_sourceLocation, _ value: () async throws -> Value?) async throws
    -> Value
{
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
        if let value = try await value() { return value }
        try await Task.sleep(for: .milliseconds(5))
    }
    return try #require(await value(), "It did not come about.", sourceLocation: location)
}

/// The program, run as a process.
@Suite struct ShelfToolTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "carrel-shelf-\(UInt64.random(in: 0 ... .max))")

    private static let executable: URL? = {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
        return [bundle, own].compactMap(\.self).map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().appending(path: "remote-shelf")
        }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    /// Runs the program, with `body` beside it.
    ///
    /// - Returns: Its exit code or the number of the signal that ended it, and its standard output and error.
    private func run(_ arguments: String..., body: (Process) async throws -> Void = { _ in }) async throws -> (
        code: Int32, text: String
    ) {
        let file = folder.appending(path: "out")
        try Data().write(to: file)
        let executable = try #require(Self.executable, "remote-shelf lies beside the tests")
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ["HOME": folder.path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: file)
        process.standardError = process.standardOutput
        let ended = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in ended.continuation.finish() }
        try process.run()
        do { try await body(process) } catch {
            kill(process.processIdentifier, SIGKILL)
            throw error
        }
        for await _ in ended.stream {}
        return (process.terminationStatus, try String(contentsOf: file, encoding: .utf8))
    }

    @Test func `it ends after one look, or with a signal that costs nothing`() async throws {
        let books = folder.appending(path: "books")
        try FileManager.default.createDirectory(at: books, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Books.epub("Emma").write(to: books.appending(path: "a b.epub"))
        let first = try await run("books", "shelf", "--once")
        #expect(first.code == 0 && first.text.contains("a b.epub: Emma by Jane Austen\n"), "\(first)")

        let second = try await run("books", "shelf") { process in
            try Books.epub("Persuasion").write(to: books.appending(path: "c.epub"))
            _ = try await eventually {
                try String(contentsOf: folder.appending(path: "out"), encoding: .utf8).contains("c.epub: Persuasion")
                    ? true : nil
            }
            kill(process.processIdentifier, SIGKILL)
        }
        #expect(second.code == SIGKILL && !second.text.contains("Emma"), "\(second)")

        let third = try await run("books", "shelf", "--once")
        #expect(third.code == 0 && third.text.isEmpty, "\(third)")
    }

    @Test func `what cannot be read gives exit code 1, and names steer no terminal`() async throws {
        let books = folder.appending(path: "books")
        try FileManager.default.createDirectory(at: books, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Books.epub("A").write(to: books.appending(path: "a\u{1B}[2J\u{202E}\n.epub"))
        let first = try await run("books", "shelf", "--once")
        let shown = "a\u{FFFD}[2J\u{FFFD}\u{FFFD}.epub: A by Jane Austen\n"
        #expect(first.code == 0 && first.text.contains(shown), "\(first)")

        try FileManager.default.removeItem(at: books)
        let second = try await run("books", "shelf", "--once")
        #expect(second.code == 1 && second.text.contains("interrupted "), "\(second)")
    }

    @Test func `wrong use and secrets are not repeated`() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await run("books").code == 2)
        let inner = try await run(".", "shelf", "--once")
        #expect(inner.code == 1 && inner.text.contains("watch itself"), "\(inner)")
        let refused = try await run("nothing://user:secret@host/", "shelf", "--once")
        #expect(refused.code == 1 && !refused.text.contains("secret"), "\(refused)")
    }
}
