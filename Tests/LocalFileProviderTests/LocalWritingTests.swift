import FileProviderCore
import Foundation
import LocalFileProvider
import ProviderDoubles
import Testing

@Suite struct LocalWritingTests {
    /// What stands at a name before an operation.
    enum Before: String, CaseIterable, Sendable { case nothing, file, emptyFolder, fullFolder, link }

    static func prepare(_ before: Before, at path: String, in folder: TestFolder) throws {
        switch before {
        case .nothing: break
        case .file: try folder.put("old", at: path, permissions: 0o640)
        case .emptyFolder: try folder.makeFolder(path)
        case .fullFolder: try folder.makeFolder(path + "/full")
        case .link: folder.link(path, to: "elsewhere")
        }
    }

    @Test(
        arguments: Before.allCases,
        [(true, WriteOptions.Placement.published), (false, .published), (true, .inPlace), (false, .inPlace)])
    func `a write replaces a file or an empty folder when it may, and nothing else`(
        before: Before, how: (overwrite: Bool, placement: WriteOptions.Placement)
    ) async throws {
        let folder = try TestFolder()
        try Self.prepare(before, at: "/new", in: folder)
        let options = WriteOptions(overwrite: how.overwrite, placement: how.placement)
        // In place, a link would have to be followed.
        let isAllowed =
            before == .nothing
            || (how.overwrite && before != .fullFolder && !(before == .link && how.placement == .inPlace))
        if isAllowed {
            try await folder.provider.write("new", to: "/new", options: options)
            #expect(folder.text("/new") == "new")
            #expect(try folder.names() == ["new"])
            return
        }
        await #expect { try await folder.provider.write("new", to: "/new", options: options) } throws: {
            before == .link && how.overwrite ? $0.cause == .ELOOP : $0.fileCode == .fileWriteFileExists
        }
        #expect(try folder.names() == (before == .fullFolder ? ["new", "new/full"] : ["new"]))
        if before == .file { #expect(folder.text("/new") == "old") }
    }

    @Test
    func `writes and copies that do not wait for the disk are as whole as others, and can be waited for together`()
        async throws
    {
        let folder = try TestFolder()
        try folder.makeFolder("/in")
        let late = try #require(folder.provider.unsynchronized as? LocalFileProvider)
        try await late.write("one", to: "/in/one")
        try await late.copy("/in/one", to: "/in/two")
        await #expect { try await late.write("other", to: "/in/two") } throws: { $0.fileCode == .fileWriteFileExists }
        try await late.write("new", to: "/in/two", options: WriteOptions(overwrite: true))
        #expect(try folder.names() == ["in", "in/one", "in/two"])
        #expect(folder.text("/in/one") == "one" && folder.text("/in/two") == "new")
        try await folder.provider.synchronize(path: ProviderPath("/in"))
        try await folder.provider.synchronize(path: .root)
        await #expect { try await folder.provider.synchronize(path: ProviderPath("/gone")) } throws: {
            $0.fileCode == .fileNoSuchFile
        }
    }

    private static let pieces = Data(repeating: 7, count: 40 << 16)

    @Test(arguments: [true, false], [WriteOptions.Placement.published, .inPlace])
    func `a write that fails leaves nothing`(isLost: Bool, placement: WriteOptions.Placement) async throws {
        let folder = try TestFolder()
        let path = try ProviderPath("/new")
        let source = ScriptedSource(Self.pieces, length: 99 << 20, isRepeatable: false, then: isLost ? .lost : .end)
        await #expect {
            try await folder.provider.writeContents(
                path: path, from: source, options: WriteOptions(placement: placement))
        } throws: { isLost ? ($0 as? URLError)?.code == .networkConnectionLost : $0.fileCode == .fileWriteUnknown }
        #expect(try folder.names() == [])
    }

    @Test func `a replacement that fails keeps the old file`() async throws {
        let folder = try TestFolder()
        try folder.put("old", at: "/file")
        let path = try ProviderPath("/file")
        let source = ScriptedSource(Self.pieces, length: nil, isRepeatable: false, then: .lost)
        await #expect(throws: URLError.self) {
            try await folder.provider.writeContents(path: path, from: source, options: WriteOptions(overwrite: true))
        }
        #expect(try folder.names() == ["file"] && folder.text("/file") == "old")
    }

    @Test(arguments: [WriteOptions.Placement.published, .inPlace])
    func `a write that is cancelled while its source sleeps leaves nothing`(placement: WriteOptions.Placement)
        async throws
    {
        let folder = try TestFolder()
        let path = try ProviderPath("/new")
        let source = ScriptedSource(Self.pieces, length: nil, isRepeatable: false, then: .sleep)
        let write = Task {
            try await folder.provider.writeContents(
                path: path, from: source, options: WriteOptions(placement: placement))
        }
        await source.waitForEnd()
        #expect(try folder.names().count == 1)
        write.cancel()
        await #expect(throws: CancellationError.self) { try await write.value }
        #expect(try folder.names() == [])
    }

    @Test(arguments: [Int64(1), 65_535, 65_537])
    func `a source of another length than it says is refused`(length: Int64) async throws {
        let folder = try TestFolder()
        let path = try ProviderPath("/new")
        await #expect {
            let source = ScriptedSource(
                Data(count: length > 65_536 ? 65_536 : 131_072), length: length, isRepeatable: false)
            try await folder.provider.writeContents(path: path, from: source, options: WriteOptions())
        } throws: { $0.fileCode == .fileWriteUnknown && $0.sentence.contains("\(length) bytes") }
        #expect(try folder.names() == [])
    }

    @Test(arguments: KernelCalls.waysToTakeAName)
    func `of two writers at once exactly one wins, a hundred times`(calls: KernelCalls) async throws {
        let folder = try TestFolder(in: "/dev/shm", calls: calls)
        let provider = folder.provider
        for round in 0..<100 {
            let placement = round % 2 == 0 ? WriteOptions.Placement.published : .inPlace
            let results = await withTaskGroup(of: (String, (any Error)?).self) { group in
                for writer in ["one", "two"] {
                    group.addTask {
                        do {
                            try await provider.write(
                                writer, to: "/\(round)", options: WriteOptions(placement: placement))
                            return (writer, nil)
                        } catch { return (writer, error) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let winners = results.filter { $0.1 == nil }
            #expect(winners.count == 1)
            #expect(folder.text("/\(round)") == winners.first?.0)
            #expect(results.compactMap { $0.1?.fileCode } == [.fileWriteFileExists])
        }
        #expect(try folder.names().count == 100)
    }

    @Test func `a replaced file keeps its permissions`() async throws {
        let folder = try TestFolder()
        try folder.put("old", at: "/file", permissions: 0o604)
        try await folder.provider.write("new", to: "/file", options: WriteOptions(overwrite: true))
        #expect(try await folder.provider.attributesOfItem(path: ProviderPath("/file")).permissions == 0o604)
    }

    @Test(arguments: [WriteOptions.Placement.published, .inPlace], [0.0, 1.5, -3600.25, 4_000_000_000])
    func `the modification time is set as asked`(placement: WriteOptions.Placement, seconds: Double) async throws {
        let folder = try TestFolder()
        let date = Date(timeIntervalSince1970: seconds)
        let written = try await folder.provider.writeContents(
            path: ProviderPath("/file"), from: DataSource(Data("x".utf8)),
            options: WriteOptions(placement: placement, modificationDate: date))
        #expect(written.modifiedDate == date && written.size == 1)
        #expect(try await folder.provider.attributesOfItem(path: ProviderPath("/file")).modifiedDate == date)
    }

    @Test func `a conditional write happens only to the version that is known`() async throws {
        let folder = try TestFolder()
        let path = try ProviderPath("/file")
        try await folder.provider.write("one", to: "/file")
        let known = try #require(try await folder.provider.attributesOfItem(path: path).entryTag)
        let second = try await folder.provider.writeContents(
            path: path, from: DataSource(Data("two!".utf8)), options: WriteOptions(overwrite: true, ifMatch: known))
        #expect(second.entryTag != known)
        await #expect {
            try await folder.provider.write(
                "three", to: "/file", options: WriteOptions(overwrite: true, ifMatch: known))
        } throws: { $0.fileCode == .fileWriteUnknown && $0.sentence.contains("no longer the version") }
        await #expect(throws: CocoaError.self) {
            try await folder.provider.write("x", to: "/none", options: WriteOptions(overwrite: true, ifMatch: known))
        }
        #expect(folder.text("/file") == "two!")
        #expect(try folder.names() == ["file"])
    }

    @Test func `an empty file can be written and read`() async throws {
        let folder = try TestFolder()
        try await folder.provider.write("", to: "/empty")
        #expect(try await folder.provider.text("/empty") == "")
    }
}
