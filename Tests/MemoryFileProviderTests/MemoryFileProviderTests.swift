import FileProviderCore
import Foundation
import MemoryFileProvider
import Testing

@Suite struct MemoryFileProviderTests {
    private let provider = MemoryFileProvider()

    private func write(_ text: String, to path: String, options: WriteOptions = WriteOptions()) async throws
        -> FileObject
    {
        try await provider.writeContents(path: ProviderPath(path), from: DataSource(Data(text.utf8)), options: options)
    }

    private func text(_ path: String) async throws -> String {
        String(decoding: try await provider.contents(path: ProviderPath(path)), as: UTF8.self)
    }

    private func names() async throws -> [String] {
        let all = CollectedValues<String>()
        try await provider.walk(path: .root) { all.append($0.path.string) }
        return all.values.sorted()
    }

    private func code(_ body: () async throws -> Void) async -> CocoaError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? CocoaError)?.code }
    }

    @Test func `what is written is read, listed, moved, copied and removed`() async throws {
        try await provider.createFolderWithParents(path: ProviderPath("/a/b"))
        let written = try await write(
            "hello", to: "/a/b/file", options: WriteOptions(modificationDate: Date(timeIntervalSince1970: 5)))
        #expect(written.size == 5 && written.modifiedDate == Date(timeIntervalSince1970: 5))
        try await provider.copyItem(path: ProviderPath("/a"), to: ProviderPath("/c"))
        try await provider.moveItem(path: ProviderPath("/c/b/file"), to: ProviderPath("/c/moved"))
        #expect(try await text("/c/moved") == "hello")
        #expect(try await names() == ["/a", "/a/b", "/a/b/file", "/c", "/c/b", "/c/moved"])
        try await provider.removeItem(path: ProviderPath("/a"))
        #expect(try await names() == ["/c", "/c/b", "/c/moved"])
        #expect(try await provider.storageProperties()?.usage == 5)
    }

    @Test func `the rules of overwriting are those of every provider`() async throws {
        _ = try await write("file", to: "/file")
        try await provider.createFolder(path: ProviderPath("/empty"))
        try await provider.createFolderWithParents(path: ProviderPath("/full/x"))
        let over = WriteOptions(overwrite: true)
        #expect(await code { _ = try await write("x", to: "/file") } == .fileWriteFileExists)
        #expect(await code { _ = try await write("x", to: "/full", options: over) } == .fileWriteFileExists)
        #expect(await code { _ = try await write("x", to: "/empty", options: over) } == nil)
        #expect(await code { _ = try await write("x", to: "/no/where") } == .fileNoSuchFile)
        #expect(
            await code {
                try await provider.moveItem(path: ProviderPath("/file"), to: ProviderPath("/full"), overwrite: true)
            }
                == .fileWriteFileExists)
        #expect(
            await code { try await provider.moveItem(path: ProviderPath("/full"), to: ProviderPath("/full/x/y")) }
                == .fileWriteInvalidFileName)
        #expect(
            await code {
                try await provider.moveItem(path: ProviderPath("/full/x"), to: ProviderPath("/file"), overwrite: true)
            } == nil)
        #expect(await code { try await provider.removeItem(path: .root) } == .fileWriteNoPermission)
        #expect(await code { _ = try await text("/full") } == .fileReadUnknown)
    }

    @Test func `a conditional write happens only to the version that is known`() async throws {
        let first = try await write("one", to: "/f")
        let second = try await write("two", to: "/f", options: WriteOptions(overwrite: true, ifMatch: first.entryTag))
        #expect(first.entryTag != second.entryTag)
        let stale = WriteOptions(overwrite: true, ifMatch: first.entryTag)
        #expect(await code { _ = try await write("three", to: "/f", options: stale) } == .fileWriteUnknown)
        #expect(await code { _ = try await write("three", to: "/none", options: stale) } == .fileWriteUnknown)
        #expect(try await text("/f") == "two")
    }

    @Test func `a reader keeps the version it opened`() async throws {
        _ = try await write("before", to: "/f")
        let reader = try await provider.open(path: ProviderPath("/f"))
        _ = try await write("after", to: "/f", options: WriteOptions(overwrite: true))
        #expect(try await reader.read(.suffix(3)).data == Data("ore".utf8))
        #expect(try await reader.read([0..<2, 4..<90]) == [Data("be".utf8), Data("re".utf8)])
        await reader.close()
        await #expect(throws: CocoaError.self) { try await reader.read(0..<1) }
    }

    @Test func `contents over several pieces come back whole, by any way`() async throws {
        let content = Data((0..<(3 << 20) + 17).map { UInt8(truncatingIfNeeded: $0 / 251) })
        let path = try ProviderPath("/f")
        try await provider.writeContents(path: path, contents: content)
        #expect(try await provider.contents(path: path) == content)
        let reader = try await provider.open(path: path)
        var streamed = Data()
        for try await piece in reader.bytes() { streamed += piece }
        #expect(streamed == content)
        let range: Range<Int64> = ((1 << 20) - 5)..<((2 << 20) + 5)
        #expect(try await reader.read([range]) == [content[Int(range.lowerBound)..<Int(range.upperBound)]])
        try await provider.writeContents(
            path: ProviderPath("/again"), from: ReaderSource(reader, length: Int64(content.count)),
            options: WriteOptions())
        #expect(try await provider.contents(path: ProviderPath("/again")) == content)
    }

    @Test func `a write over the capacity fails, leaves nothing and gives back what it took`() async throws {
        let small = MemoryFileProvider(MemoryConfiguration(capacity: 10))
        try await small.writeContents(path: ProviderPath("/a"), contents: Data(count: 6))
        for _ in 0..<3 {
            #expect(
                await code { try await small.writeContents(path: ProviderPath("/b"), contents: Data(count: 5)) }
                    == .fileWriteOutOfSpace)
        }
        #expect(
            await code { try await small.copyItem(path: ProviderPath("/a"), to: ProviderPath("/c")) }
                == .fileWriteOutOfSpace)
        #expect(try await small.storageProperties()?.availableCapacity == 4)
        try await small.writeContents(path: ProviderPath("/b"), contents: Data(count: 4))
        try await small.removeItem(path: ProviderPath("/a"))
        #expect(try await small.storageProperties()?.usage == 4)
    }

    @Test func `of many writers at once exactly one wins`() async throws {
        let wins = CollectedValues<Int>()
        await withTaskGroup { group in
            for writer in 0..<20 {
                group.addTask {
                    if (try? await write("\(writer)", to: "/f")) != nil { wins.append(writer) }
                }
            }
        }
        #expect(wins.values.count == 1)
        #expect(try await text("/f") == "\(wins.values[0])")
    }

    @Test func `a wrong length and a cancelled source leave nothing`() async throws {
        let short = SequenceSource(AsyncStream<Data> { $0.finish() }, length: 5)
        let path = try ProviderPath("/f")
        #expect(
            await code { _ = try await provider.writeContents(path: path, from: short, options: WriteOptions()) }
                == .fileWriteUnknown)
        let (pieces, input) = AsyncStream<Data>.makeStream()
        let write = Task {
            try await provider.writeContents(path: path, from: SequenceSource(pieces), options: WriteOptions())
        }
        input.yield(Data(count: 10))
        write.cancel()
        await #expect(throws: CancellationError.self) { try await write.value }
        #expect(try await names() == [])
        #expect(try await provider.storageProperties()?.usage == 0)
    }

    @Test func `URLs with one host name one tree`() async throws {
        let registry = ProviderRegistry()
        try registry.register(MemoryFileProvider.registration)
        let one = try await registry.location(of: #require(URL(string: "mem://shelf-\(UUID())/a%FF")))
        let again = try await registry.location(of: #require(one.provider.baseURL))
        let other = try await registry.location(of: #require(URL(string: "mem://other/")))
        #expect(one.provider === again.provider && one.provider !== other.provider)
        #expect(one.path.bytes == [UInt8(ascii: "a"), 0xFF])
    }
}
