import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

@Suite struct LocalAppendingTests {
    private func append(_ text: String, to path: String, in folder: TestFolder, createsFile: Bool = true) async throws {
        try await folder.provider.appendContents(
            path: ProviderPath(path), contents: Data(text.utf8), createsFile: createsFile)
    }

    @Test(arguments: KernelCalls.bothWaysDown)
    func `bytes go to the end of a file, through links that stay below the root`(calls: KernelCalls) async throws {
        let folder = try TestFolder(calls: calls)
        try folder.put("one", at: "/log")
        folder.link("/link", to: "log")
        try await append(", two", to: "/log", in: folder)
        try await append(", three", to: "/link", in: folder)
        #expect(folder.text("/log") == "one, two, three")
        #expect(try folder.names() == ["link", "log"])
        let file = try await folder.provider.appendContents(path: ProviderPath("/log"), contents: Data([0x2E]))
        #expect(file.size == 16)
    }

    @Test func `a link that leads out of the root, or nowhere, is not followed`() async throws {
        let folder = try TestFolder()
        try Data("outside".utf8).write(to: URL(fileURLWithPath: folder.base + "/outside"))
        folder.link("/out", to: "../outside")
        folder.link("/nowhere", to: "missing")
        for name in ["/out", "/nowhere"] {
            await #expect(throws: CocoaError.self) { try await append("more", to: name, in: folder) }
        }
        #expect(try String(contentsOfFile: folder.base + "/outside", encoding: .utf8) == "outside")
        #expect(try folder.names() == ["nowhere", "out"])
    }

    @Test func `a pipe is refused and not waited for`() async throws {
        let folder = try TestFolder()
        #expect(mkfifo(folder.root + "/pipe", 0o600) == 0)
        await #expect(throws: CocoaError.self) { try await append("more", to: "/pipe", in: folder) }
    }

    @Test func `appends at the same time overwrite nothing of each other`() async throws {
        let folder = try TestFolder()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for line in 0..<25 { try await append("task \(task) line \(line)\n", to: "/log", in: folder) }
                }
            }
            try await group.waitForAll()
        }
        let lines = try #require(folder.text("/log")).split(separator: "\n").map(String.init)
        #expect(lines.count == 200)
        for task in 0..<8 {
            #expect(lines.filter { $0.hasPrefix("task \(task) ") } == (0..<25).map { "task \(task) line \($0)" })
        }
    }

    @Test func `a source that fails leaves what has come of it, and says how much`() async throws {
        let folder = try TestFolder()
        try folder.put("old", at: "/log")
        let short = SequenceSource(
            AsyncStream<Data> { stream in
                stream.yield(Data("new".utf8))
                stream.finish()
            }, length: 10)
        let error = await #expect(throws: CocoaError.self) {
            try await folder.provider.appendContents(path: ProviderPath("/log"), from: short)
        }
        #expect(error?.sentence.contains("3 bytes were added") == true)
        #expect(folder.text("/log") == "oldnew")
    }
}
