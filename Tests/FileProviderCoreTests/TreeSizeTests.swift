import FileProviderCore
import Foundation
import MemoryFileProvider
import Testing

/// What is below a folder, counted, and found by patterns.
@Suite struct TreeSizeTests {
    private let memory = MemoryFileProvider(MemoryConfiguration(name: "counted"))

    private func fill() async throws {
        for folder in ["d", "d/e", "empty"] { try await memory.createFolder(path: ProviderPath(folder)) }
        for file in ["a.txt", "d/b.txt", "d/e/c.txt", ".hidden"] {
            try await memory.writeContents(path: ProviderPath(file), contents: Data(file.utf8))
        }
    }

    @Test func `sizes, files and folders are added up`() async throws {
        try await fill()
        let all = try await memory.treeSize(path: .root)
        #expect(all.bytes == 5 + 7 + 9 + 7 && all.files == 4 && all.folders == 3)
        let file = try await memory.treeSize(path: ProviderPath("d/b.txt"))
        #expect(file.bytes == 7 && file.files == 1 && file.folders == 0)
        await #expect(throws: CocoaError.self) { try await memory.treeSize(path: ProviderPath("none")) }
    }

    @Test func `sizes that a storage makes up do not overflow`() throws {
        var size = TreeSize()
        for bytes in [Int64.max, 5, -3] {
            size.add(FileObject(path: try ProviderPath("a"), type: .regular, size: bytes))
        }
        size.add(FileObject(path: try ProviderPath("l"), type: .symbolicLink, size: 9))
        #expect(size.bytes == .max && size.files == 4)
    }

    @Test func `names are found by a shell's patterns`() async throws {
        try await fill()
        func names(_ pattern: String) async throws -> [String] {
            try await memory.items(in: .root, matching: pattern).map(\.name)
        }
        #expect(try await names("*") == ["a.txt", "d", "empty"])
        #expect(try await names("[a-d]*") == ["a.txt", "d"])
        #expect(try await names(".*") == [".hidden"])
        #expect(try await names("?") == ["d"])
        #expect(try await names("none*") == [])
    }
}
