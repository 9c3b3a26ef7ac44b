import Foundation
import Testing

/// The `carrel` that knows boxes, run as a process.
@Suite struct BoxToolTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "carrel-box-\(UInt64.random(in: 0 ... .max))")

    /// What one run writes to standard output and error; it ends with `code`.
    @discardableResult
    private func run(_ arguments: String..., code: Int32 = 0) async throws -> String {
        let files = ["out", "err"].map { folder.appending(path: $0) }
        for file in files { try Data().write(to: file) }
        let executable = try #require(Self.executable, "box-carrel lies beside the tests")
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ["HOME": folder.path, "CARREL_CONFIG": folder.appending(path: "config.json").path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        let ended = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in ended.continuation.finish() }
        try process.run()
        for await _ in ended.stream {}
        let text = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }.joined()
        #expect(process.terminationStatus == code, "\(arguments): \(text)")
        return text
    }

    private static let executable: URL? = {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
        return [bundle, own].compactMap(\.self).map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().appending(path: "box-carrel")
        }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    @Test func `every verb works on a box`() async throws {
        try FileManager.default.createDirectory(at: folder.appending(path: "shelf"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await run("providers").contains("Box"))
        try Data("hello".utf8).write(to: folder.appending(path: "a.txt"))
        try await run("mkdir", "box://notes/x")
        try await run("cp", "a.txt", "box://notes/x/a b.txt")
        try await run("cp", "-r", "box://notes/x", "box://notes/y")
        try await run("mv", "box://notes/y", "box://others/z")
        #expect(try await run("ls", "-R", "box://notes").contains("x/a b.txt"))
        #expect(try await run("cat", "box://others/z/a%20b.txt") == "hello")
        #expect(try await run("sniff", "box://notes/x/a%20b.txt").contains("text/plain"))
        #expect(try await run("cat", "box://notes/missing", code: 3).hasPrefix("carrel: cat box://notes/missing: "))
        let report = try await run("conform", "--json", "box://kit/")
        #expect(report.contains("\"failed\":[]"))
    }

    @Test func `a saved connection names a box, with the provider's own setting`() async throws {
        try FileManager.default.createDirectory(at: folder.appending(path: "shelf"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func save(_ setting: String) throws {
            let shelf = folder.appending(path: "shelf").path
            let text =
                #"{"connections": {"notes": {"url": "box://notes/2026", "settings": {"\#(setting)": "\#(shelf)"}}}}"#
            try Data(text.utf8).write(to: folder.appending(path: "config.json"))
        }
        try save("folder")
        try await run("mkdir", "notes:")
        try await run("mkdir", "notes:may")
        #expect(try await run("ls", "notes:") == "may\n")
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: "shelf/notes.box").path))
        try save("folders")
        let refusal = try await run("ls", "notes:", code: 2)
        #expect(refusal.contains("config.json") && refusal.contains("Box has no setting “folders”; it has: folder."))
    }
}
