import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

/// Temporary names that can be foreseen, in a folder that others may write to.
@Suite struct LocalTemporaryNameTests {
    /// What somebody else has put under the name.
    enum Trap: CaseIterable {
        case link, linkToNothing, hardLink, pipe, pipeWithReader

        func lay(_ folder: TestFolder, at name: String) throws -> Int32? {
            switch self {
            case .link: folder.link(name, to: "victim")
            case .linkToNothing: folder.link(name, to: "made")
            case .hardLink: #expect(Foundation.link(folder.root + "/victim", folder.root + name) == 0)
            case .pipe, .pipeWithReader:
                #expect(mkfifo(folder.root + name, 0o666) == 0)
                if self == .pipeWithReader { return Foundation.open(folder.root + name, O_RDONLY | O_NONBLOCK) }
            }
            return nil
        }
    }

    private static let options = WriteOptions(overwrite: true, placement: .inPlace)

    private func name() throws -> String {
        try TemporaryName.make(beside: ProviderPath("/file"), for: "a pair's token").string
    }

    @Test(arguments: Trap.allCases, KernelCalls.bothWaysDown)
    func `nothing is written through what lies under a temporary name`(trap: Trap, calls: KernelCalls) async throws {
        let folder = try TestFolder(calls: calls)
        try folder.put("old", at: "/victim")
        let name = try name()
        let reader = try trap.lay(folder, at: name)
        defer { if let reader { close(reader) } }
        try await folder.provider.write("new", to: name, options: Self.options)
        #expect(folder.text(name) == "new")
        #expect(folder.text("/victim") == "old" && folder.text("/made") == nil)
        let status = try folder.status(name)
        #expect(status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1 && status.st_uid == geteuid())
        if let reader {
            var byte: UInt8 = 0
            #expect(read(reader, &byte, 1) <= 0, "the pipe got bytes")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make a file of somebody else"))
    func `somebody else's file under a temporary name is replaced and not filled`() async throws {
        let folder = try TestFolder()
        let name = try name()
        try folder.put("old", at: name, permissions: 0o666)
        #expect(chown(folder.root + name, 65_534, 65_534) == 0)
        let spy = Foundation.open(folder.root + name, O_RDONLY)
        defer { close(spy) }
        try await folder.provider.write("new", to: name, options: Self.options)
        #expect(folder.text(name) == "new")
        #expect(try folder.status(name).st_uid == geteuid())
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(pread(spy, &bytes, 8, 0) == 3 && bytes.prefix(3) == ArraySlice("old".utf8))
    }

    @Test func `our own part is written over, and other names are written as ever`() async throws {
        let folder = try TestFolder()
        let name = try name()
        try folder.put("an older part", at: name)
        let before = try folder.status(name).st_ino
        try await folder.provider.write("new", to: name, options: Self.options)
        #expect(folder.text(name) == "new")
        #expect(try folder.status(name).st_ino == before)
        try folder.put("old", at: "/file")
        #expect(link(folder.root + "/file", folder.root + "/second") == 0)
        try await folder.provider.write("new", to: "/file", options: Self.options)
        #expect(folder.text("/second") == "new")
    }
}
