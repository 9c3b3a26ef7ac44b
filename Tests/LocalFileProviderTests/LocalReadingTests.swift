import FileProviderCore
import Foundation
import LocalFileProvider
import Synchronization
import Testing

/// Counts bytes, and stops after each piece until it is asked to go on.
private final class SlowSink: ByteSink {
    let count = Atomic(0)
    let largest = Atomic(0)

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        count.add(bytes.count, ordering: .relaxed)
        largest.max(bytes.count, ordering: .relaxed)
        return .wait
    }
}

@Suite struct LocalReadingTests {
    @Test(arguments: [FilePart.whole, .from(3), .range(2..<5), .suffix(4), .range(8..<100), .from(50)])
    func `a part of a file is what lies there`(part: FilePart) async throws {
        let folder = try TestFolder()
        try folder.put("0123456789", at: "/file")
        let reader = try await folder.provider.open(path: ProviderPath("/file"))
        let range = part.resolved(size: 10)
        let (data, extent) = try await reader.read(part)
        #expect(data == Data("0123456789".utf8)[Int(range.lowerBound)..<Int(range.upperBound)])
        #expect(extent == FileExtent(offset: range.lowerBound, count: Int64(range.count), size: 10))
        #expect(try await reader.read([range, 0..<1]) == [data, Data("0".utf8)])
        await reader.close()
        await reader.close()
        await #expect(throws: CocoaError.self) { try await reader.read(0..<1) }
    }

    @Test func `a reader keeps the version it opened when the file is replaced`() async throws {
        let folder = try TestFolder()
        try folder.put("before", at: "/file")
        let reader = try await folder.provider.open(path: ProviderPath("/file"))
        try await folder.provider.write("after", to: "/file", options: WriteOptions(overwrite: true))
        #expect(try await reader.read(.whole).data == Data("before".utf8))
        #expect(try await folder.provider.text("/file") == "after")
    }

    @Test func `a file that is changed in place while it is read is an error`() async throws {
        let folder = try TestFolder()
        try folder.put("before", at: "/file")
        let reader = try await folder.provider.open(path: ProviderPath("/file"))
        try await folder.provider.write(
            "longer", to: "/file", options: WriteOptions(overwrite: true, placement: .inPlace))
        try await folder.provider.write(
            "shorter one", to: "/file", options: WriteOptions(overwrite: true, placement: .inPlace))
        await #expect { try await reader.read(.whole) } throws: { $0.cause == .ESTALE }
        await #expect { try await reader.read([0..<1, 3..<4]) } throws: { $0.cause == .ESTALE }
    }

    @Test func `a folder, a pipe and nothing cannot be read, at once`() async throws {
        let folder = try TestFolder()
        try folder.makeFolder("/folder")
        #expect(mkfifo(folder.root + "/pipe", 0o600) == 0)
        await #expect { try await folder.provider.open(path: ProviderPath("/folder")) } throws: { $0.cause == .EISDIR }
        await #expect { try await folder.provider.open(path: .root) } throws: { $0.cause == .EISDIR }
        await #expect { try await folder.provider.open(path: ProviderPath("/none")) } throws: {
            $0.fileCode == .fileReadNoSuchFile
        }
        await #expect { try await folder.provider.open(path: ProviderPath("/pipe")) } throws: {
            $0.sentence.contains("not a regular file")
        }
        #expect(throws: CocoaError.self) { try FileSource(URL(fileURLWithPath: folder.root + "/pipe")) }
    }

    @Test func `a cancelled stream ends although its sink never wakes`() async throws {
        let folder = try TestFolder()
        try folder.put("", at: "/file")
        #expect(truncate(folder.root + "/file", 4 << 20) == 0)
        let reader = try await folder.provider.open(path: ProviderPath("/file"))
        let pipe = BytePipe()
        let task = Task { try await reader.stream(.whole, into: NeverReadySink(pipe)) }
        _ = try await pipe.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `an error of the sink ends the stream`() async throws {
        let folder = try TestFolder()
        try folder.put("0123456789", at: "/file")
        let reader = try await folder.provider.open(path: ProviderPath("/file"))
        await #expect(throws: CocoaError.self) { try await reader.stream(.whole, into: DataSink(limit: 5)) }
    }

    /// In a process of its own, where no other test's memory counts.
    @Test func `a file of 256 MiB streams in constant memory, out, in and across`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            try folder.put("", at: "/large")
            try #require(truncate(folder.root + "/large", 256 << 20) == 0)
            let before = try Memory.resident()
            let sink = SlowSink()
            try await folder.provider.withReader(path: ProviderPath("/large")) {
                _ = try await $0.stream(.whole, into: sink)
            }
            try #require(sink.count.load(ordering: .relaxed) == 256 << 20)
            try #require(sink.largest.load(ordering: .relaxed) <= 1 << 20)
            let local = URL(fileURLWithPath: folder.root + "/large")
            try await folder.provider.copyItem(localFile: local, to: ProviderPath("/copy"))
            let reader = try await folder.provider.open(path: ProviderPath("/copy"))
            let piped = try await folder.provider.writeContents(
                path: ProviderPath("/piped"), from: ReaderSource(reader, length: 256 << 20), options: WriteOptions())
            try #require(piped.size == 256 << 20)
            try #require(try Memory.peak() - before < 32 << 20)
        }
    }
}

/// Takes what comes into a pipe and then never wakes.
private final class NeverReadySink: ByteSink {
    private let pipe: BytePipe

    init(_ pipe: BytePipe) {
        self.pipe = pipe
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        _ = try pipe.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(5)))
        return .wait
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) {}
}

/// This process's memory in bytes. Source: proc_pid_status(5).
private enum Memory {
    static func resident() throws -> Int { try field("VmRSS:") }

    static func peak() throws -> Int { try field("VmHWM:") }

    private static func field(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name) })
        return try #require(Int(line.filter(\.isNumber))) * 1024
    }
}
