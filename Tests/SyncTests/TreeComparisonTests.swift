import FileProviderCore
import Foundation
import MemoryFileProvider
import Sync
import Testing

/// Two folders compared on any two providers.
@Suite struct TreeComparisonTests {
    private let one = MemoryFileProvider(MemoryConfiguration(name: "one"))
    private let other = MemoryFileProvider(MemoryConfiguration(name: "other"))

    private func write(_ path: String, _ text: String, _ provider: MemoryFileProvider) async throws {
        let path = try ProviderPath(path)
        if let folder = path.parent, !folder.isRoot { try await provider.createFolderWithParents(path: folder) }
        try await provider.writeContents(path: path, contents: Data(text.utf8))
    }

    private func compare(_ comparison: TreeComparison = TreeComparison(comparesContent: true)) async throws
        -> TreeComparison.Outcome
    {
        try await comparison.compare(
            ProviderLocation(provider: one, path: .root), ProviderLocation(provider: other, path: ProviderPath("there"))
        )
    }

    @Test func `differences are found wherever the folders lie`() async throws {
        for (path, text, otherText) in [("a", "same", "same"), ("d/b", "one", "two"), ("d/c", "1", "22")] {
            try await write(path, text, one)
            try await write("there/" + path, otherText, other)
        }
        try await write("x/y", "1", one)
        try await write("there/d/z", "1", other)
        try await write("there/x", "1", other)
        let outcome = try await compare()
        #expect(outcome.same == 1 && outcome.failed.isEmpty && !outcome.isSame)
        #expect(outcome.different.map(\.path.string) == ["/d/b", "/d/c", "/x"])
        #expect(outcome.different.map(\.reason) == [.content, .size, .type])
        #expect(outcome.onlyFirst.isEmpty && outcome.onlySecond.map(\.string) == ["/d/z"])
    }

    @Test func `more files than are read at once are compared`() async throws {
        for index in 0..<40 {
            try await write("f\(index)", "text \(index)", one)
            try await write("there/f\(index)", index == 17 ? "text xx" : "text \(index)", other)
        }
        let outcome = try await compare(TreeComparison(comparesContent: true, transfers: 3))
        #expect(outcome.same == 39 && outcome.different.map(\.path.string) == ["/f17"])
    }

    @Test func `a checksum is computed by reading where the storage gives none`() async throws {
        try await write("a", "abc", one)
        let path = try ProviderPath("a")
        let sum = try await FileChecksum.of(path, of: one, kind: "md5")
        #expect(sum.value == "900150983cd24fb0d6963f7d28e17f72" && !sum.isByStorage)
        let error = await #expect(throws: CocoaError.self) { try await FileChecksum.of(path, of: one, kind: "crc9") }
        #expect(error?.code == .featureUnsupported)
        await #expect(throws: CocoaError.self) { try await FileChecksum.of(ProviderPath("none"), of: one) }
        for kind in FileChecksum.computedKinds {
            #expect(try await !FileChecksum.of(path, of: one, kind: kind).value.isEmpty)
        }
    }

    @Test func `a missing folder is an error`() async throws {
        try await write("a", "x", one)
        await #expect(throws: CocoaError.self) { try await compare() }
    }
}
