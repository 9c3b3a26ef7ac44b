import FileProviderCore
import Foundation
import LocalFileProvider
import ProviderDoubles
import Testing

/// Writes to this machine that stop, and go on in a later run.
@Suite struct LocalResumingTests {
    private let data = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    private let options = WriteOptions(resumption: "https://nas.example/book 1000000 \"1\"")

    private func path() throws -> ProviderPath { try ProviderPath("book") }

    /// A part of 400,000 bytes beside the target.
    private func leavePart(in folder: TestFolder) async throws {
        await #expect(throws: URLError.self) {
            try await folder.provider.writeContents(
                path: path(), from: ScriptedSource(data, end: 400_000, then: .lost), options: options)
        }
    }

    @Test func `a write that stopped goes on behind its part`() async throws {
        let folder = try TestFolder()
        try await leavePart(in: folder)
        #expect(try folder.names().count == 1 && folder.names().allSatisfy(TemporaryName.matches))
        let source = ScriptedSource(data)
        try await folder.provider.writeContents(path: path(), from: source, options: options)
        #expect(try await folder.provider.contents(path: path()) == data)
        #expect(try folder.names() == ["book"])
        // Head and tail of the part are compared, the rest is sent.
        #expect(Set(source.begun).sorted() == [0, 400_000 - 65_536, 400_000])
    }

    @Test func `a part with other bytes is written again from its start`() async throws {
        let folder = try TestFolder()
        try await leavePart(in: folder)
        let part = try #require(try folder.names().first)
        try Data(count: 500_000).write(to: folder.url(part))
        try await folder.provider.writeContents(path: path(), from: ScriptedSource(data), options: options)
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
                try await folder.provider.writeContents(path: path(), from: ScriptedSource(data), options: options)
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
            try await folder.provider.writeContents(path: path(), from: ScriptedSource(data), options: options)
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
        let wasAsked = LockedValue(false)
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
