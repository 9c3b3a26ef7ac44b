@testable import FileInformation
import FileProviderCore
import Foundation
import ProviderDoubles
import Publication
import Testing

/// What a child process may do, and how it ends.
@Suite(.serialized) struct ChildProcessTests {
    /// A script in a folder of its own, in place of `pdftoppm`.
    private struct Fake {
        private let temporary: TemporaryFolder
        var folder: URL { temporary.url }
        /// Stands in the arguments of what the script starts.
        let mark = "carrel-mark-\(UInt64.random(in: 0 ... .max))"

        init(_ script: String) throws {
            temporary = try TemporaryFolder()
            let folder = temporary.url
            let file = folder.appending(path: "pdftoppm")
            try Data(
                "#!/bin/sh\n\(script.replacingOccurrences(of: "MARK", with: mark).replacingOccurrences(of: "FOLDER", with: folder.path))\n"
                    .utf8
            ).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }

        var path: String { folder.appending(path: "pdftoppm").path }

        /// Processes, zombies among them, that were started with the mark or are the script itself.
        func processes() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
                guard Int(name) != nil, let line = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(name)/cmdline"))
                else {
                    return false
                }
                return [mark, path].contains { line.range(of: Data($0.utf8)) != nil }
            }
        }
    }

    private static let sleeping = "/bin/sh -c 'sleep 600; :' MARK & wait"

    private func thumbnail(_ fake: Fake, _ limits: ChildProcess.Limits = ChildProcess.Limits()) async throws
        -> Thumbnail
    {
        let tools = PDFTools(searchPath: fake.folder.path, limits: limits)
        return try await tools.thumbnail(CountingReader(PDFFixture.document(), "a.pdf"), ThumbnailRequest())
    }

    @Test func `one that sleeps is killed when its time is up, with what it started`() async throws {
        let fake = try Fake(Self.sleeping)
        let start = ContinuousClock.now
        #expect(await fileError { try await thumbnail(fake, ChildProcess.Limits(seconds: 3)) } == .fileReadTooLarge)
        #expect((3.0..<60).contains((ContinuousClock.now - start) / .seconds(1)))
        try await eventually { try fake.processes().isEmpty }
    }

    @Test func `cancelling kills it at once`() async throws {
        let fake = try Fake(Self.sleeping)
        let task = Task { try await thumbnail(fake) }
        try await eventually { try fake.processes().count >= 2 }
        let start = ContinuousClock.now
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(ContinuousClock.now - start < .seconds(15))
        try await eventually { try fake.processes().isEmpty }
    }

    @Test func `output without end is cut off`() async throws {
        let fake = try Fake("while :; do echo MARK; done")
        #expect(
            await fileError { try await thumbnail(fake, ChildProcess.Limits(seconds: 20, output: 100_000)) }
                == .fileReadTooLarge)
        try await eventually { try fake.processes().isEmpty }
    }

    @Test func `one that closes its output and goes on is killed all the same`() async throws {
        let fake = try Fake("exec >&- 2>&-; \(Self.sleeping)")
        let start = ContinuousClock.now
        #expect(await fileError { try await thumbnail(fake, ChildProcess.Limits(seconds: 3)) } == .fileReadTooLarge)
        #expect(ContinuousClock.now - start >= .seconds(3))
        try await eventually { try fake.processes().isEmpty }
    }

    @Test func `what it says when it fails stands in the error`() async throws {
        let fake = try Fake("echo 'Syntax Error: no lamp' >&2; exit 1")
        let error = await #expect(throws: CocoaError.self) { try await thumbnail(fake) }
        #expect(error?.code == .fileReadCorruptFile && error?.sentence.contains("no lamp") == true)
        let silent = try Fake("exit 0")
        #expect(await fileError { try await thumbnail(silent) } == .fileReadCorruptFile)
        let killed = try Fake("kill -9 $$")
        #expect(await fileError { try await thumbnail(killed) } == .fileReadCorruptFile)
    }

    @Test func `it has its file and three descriptors, limits, and nothing of ours`() async throws {
        let fake = try Fake(
            """
            echo "memory $(ulimit -v)"; echo "time $(ulimit -t)"; echo "files $(ulimit -f)"; echo "core $(ulimit -c)"
            for n in 0 1 2 3 4 5 6 7 8 9; do [ -e "/proc/$$/fd/$n" ] && echo "open $n"; done
            cat /dev/fd/3; env | grep -c . ; (echo x > \"\(FileManager.default.temporaryDirectory.path)/MARK\") 2>/dev/null || echo refused
            """)
        // Open, inheritable, and not the child's business.
        let others = (0..<3).map { _ in Foundation.open("/dev/null", O_RDONLY) }
        defer { for other in others { Foundation.close(other) } }
        let name = fake.folder.appending(path: "input").path
        try Data("content\n".utf8).write(to: URL(fileURLWithPath: name))
        let input = try FileDescriptor(path: name, flags: O_RDONLY)
        let child = ChildProcess(path: fake.path, limits: ChildProcess.Limits(seconds: 9, memory: 512 << 20))
        let path = try ProviderPath("a.pdf")
        let outcome = try await PopplerTool.threads.run {
            try child.run([], input: input, flag: CancellationFlag(), file: path)
        }
        let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(outcome.exitCode == 0 && lines.contains("content"), "\(lines) \(outcome.errors)")
        for line in ["memory 524288", "time 9", "files 0", "core 0"] { #expect(lines.contains(line), "\(lines)") }
        let numbers = lines.filter { $0.hasPrefix("open ") }.compactMap { Int($0.dropFirst(5)) }
        #expect(numbers == [0, 1, 2, 3], "\(lines)")
        #expect(lines.contains("refused"))
    }
}
