import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

/// What copies between two providers take along beside the bytes.
@Suite struct LocalMetadataTests {
    private let date = Date(timeIntervalSince1970: 1_000_000_000)

    /// A tree with a file that nobody may write, in a folder that nobody may write.
    private func fill(_ folder: TestFolder) async throws {
        try folder.makeFolder("/tree/deep")
        try folder.put("text", at: "/tree/deep/file")
        for (path, permissions) in [("/tree/deep/file", 0o444), ("/tree/deep", 0o555), ("/tree", 0o750)]
            as [(String, UInt16)]
        {
            let path = try ProviderPath(path)
            try await folder.provider.setExtendedAttribute("user.note", to: Array(path.name.utf8), path: path)
            try await folder.provider.setAttributes(path: path, permissions: permissions, modificationDate: date)
        }
    }

    /// Lets the folder be removed at the end of the test.
    private func unlock(_ folder: TestFolder) { _ = chmod(folder.root + "/tree/deep", 0o755) }

    @Test func `files and folders keep times, permissions and extended attributes on request`() async throws {
        let (here, there) = (try TestFolder(), try TestFolder())
        defer { for folder in [here, there] { unlock(folder) } }
        try await fill(here)
        var copy = TreeCopy()
        copy.metadata = .all
        let tree = try ProviderPath("/tree")
        let outcome = try await copy.copyFolder(tree, of: here.provider, to: tree, of: there.provider)
        #expect(outcome.failed.isEmpty && outcome.copied == 1)
        for (path, permissions) in [("/tree", 0o750), ("/tree/deep", 0o555), ("/tree/deep/file", 0o444)]
            as [(String, UInt16)]
        {
            let path = try ProviderPath(path)
            let item = try await there.provider.attributesOfItem(path: path)
            #expect(item.permissions == permissions && item.modifiedDate == date, "\(path)")
            #expect(
                try await there.provider.extendedAttributes(path: path) == ["user.note": Array(path.name.utf8)],
                "\(path)")
        }
    }

    @Test func `without the request a copy has times and permissions of its own`() async throws {
        let (here, there) = (try TestFolder(), try TestFolder())
        defer { for folder in [here, there] { unlock(folder) } }
        try await fill(here)
        let tree = try ProviderPath("/tree")
        _ = try await TreeCopy().copyFolder(tree, of: here.provider, to: tree, of: there.provider)
        let file = try ProviderPath("/tree/deep/file")
        let item = try await there.provider.attributesOfItem(path: file)
        #expect(item.permissions.map { $0 & 0o200 } == 0o200 && item.modifiedDate != date)
        #expect(try await there.provider.extendedAttributes(path: file).isEmpty)
    }

    @Test func `a folder that was there before keeps what it has`() async throws {
        let (here, there) = (try TestFolder(), try TestFolder())
        defer { for folder in [here, there] { unlock(folder) } }
        try await fill(here)
        try there.makeFolder("/tree")
        #expect(chmod(there.root + "/tree", 0o711) == 0)
        var copy = TreeCopy()
        copy.metadata = .all
        let tree = try ProviderPath("/tree")
        _ = try await copy.copyFolder(tree, of: here.provider, to: tree, of: there.provider)
        #expect(try await there.provider.attributesOfItem(path: tree).permissions == 0o711)
        #expect(try await there.provider.attributesOfItem(path: tree.appending("deep")).permissions == 0o555)
    }

    @Test func `older names of the option mean the same`() {
        var copy = TreeCopy(preservesDates: true)
        #expect(copy.metadata == .modificationDates && copy.preservesDates)
        copy.preservesDates = false
        #expect(copy.metadata.isEmpty)
    }
}
