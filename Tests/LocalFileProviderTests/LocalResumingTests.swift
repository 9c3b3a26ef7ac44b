import FileProviderCore
import Foundation
import LocalFileProvider
import Synchronization
import Testing

/// Writes to this machine that stop, and go on in a later run.
@Suite struct LocalResumingTests {
    /// A source that fails after so many bytes, and tells from where it was read.
    private final class FailingSource: WriteSource {
        let data: Data
        let failsAt: Int
        let starts = Mutex<[Int64]>([])

        init(_ data: Data, failsAt: Int = .max) {
            self.data = data
            self.failsAt = failsAt
        }

        var length: Int64? { Int64(data.count) }
        var isRepeatable: Bool { true }

        func bytes(from offset: Int64) throws -> any ByteSource {
            starts.withLock { $0.append(offset) }
            return Bytes(data, at: Int(offset), failsAt: failsAt)
        }

        private final class Bytes: ByteSource, @unchecked Sendable {
            // Unchecked: a source is called by one side, one call after the other.
            private let data: Data
            private var offset: Int
            private let failsAt: Int

            init(_ data: Data, at offset: Int, failsAt: Int) {
                self.data = data
                self.offset = offset
                self.failsAt = failsAt
            }

            func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
                if offset >= failsAt { throw URLError(.networkConnectionLost) }
                if offset == data.count { return .end }
                let count = min(buffer.count, min(data.count, failsAt) - offset, 100_000)
                data.copyBytes(to: buffer, from: offset..<offset + count)
                offset += count
                return .bytes(count)
            }

            func whenReady(_ resume: @escaping @Sendable () -> Void) { resume() }
        }
    }

    private let data = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    private let options = WriteOptions(resumption: "https://nas.example/book 1000000 \"1\"")

    private func path() throws -> ProviderPath { try ProviderPath("book") }

    /// A part of 400,000 bytes beside the target.
    private func leavePart(in folder: TestFolder) async throws {
        await #expect(throws: URLError.self) {
            try await folder.provider.writeContents(path: path(), from: FailingSource(data, failsAt: 400_000), options: options)
        }
    }

    @Test func `a write that stopped goes on behind its part`() async throws {
        let folder = try TestFolder()
        try await leavePart(in: folder)
        #expect(try folder.names().count == 1 && folder.names().allSatisfy(TemporaryName.matches))
        let source = FailingSource(data)
        try await folder.provider.writeContents(path: path(), from: source, options: options)
        #expect(try await folder.provider.contents(path: path()) == data)
        #expect(try folder.names() == ["book"])
        // Head and tail of the part are compared, the rest is sent.
        #expect(Set(source.starts.withLock { $0 }).sorted() == [0, 400_000 - 65_536, 400_000])
    }

    @Test func `a part with other bytes is written again from its start`() async throws {
        let folder = try TestFolder()
        try await leavePart(in: folder)
        let part = try #require(try folder.names().first)
        try Data(count: 500_000).write(to: folder.url(part))
        try await folder.provider.writeContents(path: path(), from: FailingSource(data), options: options)
        #expect(try await folder.provider.contents(path: path()) == data)
        #expect(try folder.names() == ["book"])
    }

    @Test func `a link under the name of the part is not written through`() async throws {
        let folder = try TestFolder()
        try Data("mine".utf8).write(to: folder.url("mine"))
        let part = try TemporaryName.make(beside: path(), for: options.resumption ?? "")
        for isSymbolic in [true, false] {
            let (own, link) = (folder.url("mine"), folder.url(part.name))
            if isSymbolic {
                try FileManager.default.createSymbolicLink(at: link, withDestinationURL: own)
            } else {
                try FileManager.default.linkItem(at: own, to: link)
            }
            await #expect(throws: CocoaError.self) {
                try await folder.provider.writeContents(path: path(), from: FailingSource(data), options: options)
            }
            #expect(try Data(contentsOf: own) == Data("mine".utf8))
            try FileManager.default.removeItem(at: link)
        }
    }

    @Test func `a part that another write holds is left alone`() async throws {
        let folder = try TestFolder()
        let pipe = BytePipe()
        let slow = PipedSource(pipe, length: Int64(data.count))
        let first = Task { try await folder.provider.writeContents(path: path(), from: slow, options: options) }
        // The part has its name before it is held, and is held when the source is asked.
        while !slow.wasAsked.value { await Task.yield() }
        let error = await #expect(throws: CocoaError.self) {
            try await folder.provider.writeContents(path: path(), from: FailingSource(data), options: options)
        }
        #expect(error?.sentence.contains("another copy") == true)
        try await pipe.send(data)
        pipe.finish()
        _ = try await first.value
        #expect(try await folder.provider.contents(path: path()) == data)
    }

    /// A repeatable source that waits for what a test sends.
    private struct PipedSource: WriteSource {
        let pipe: BytePipe
        let length: Int64?
        let wasAsked = Locked(false)
        var isRepeatable: Bool { true }

        init(_ pipe: BytePipe, length: Int64) {
            self.pipe = pipe
            self.length = length
        }

        func bytes(from offset: Int64) throws -> any ByteSource {
            wasAsked.update { $0 = true }
            return pipe.source
        }
    }
}

extension TestFolder {
    fileprivate func url(_ name: String) -> URL { URL(fileURLWithPath: root).appending(path: name) }
}
