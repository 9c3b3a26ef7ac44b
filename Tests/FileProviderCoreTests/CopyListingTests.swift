import FileProviderCore
import Foundation
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import Testing

/// Copies of folders whose listings are not as they should be.
@Suite struct CopyListingTests {
    private let memory = MemoryFileProvider(MemoryConfiguration(name: "copied"))
    private let target = MemoryFileProvider(MemoryConfiguration(name: "target"))

    private func fill() async throws -> CraftedListing {
        for name in ["d", "e"] { try await memory.createFolder(path: ProviderPath(name)) }
        for name in ["/a", "/d/x", "/e/y"] {
            try await memory.writeContents(path: ProviderPath(name), contents: Data(name.utf8))
        }
        return CraftedListing(memory)
    }

    private func names(_ provider: any FileProvider) async throws -> [String] {
        let found = CollectedValues<String>()
        try await provider.walk(path: .root) { found.append($0.path.string) }
        return found.values.sorted()
    }

    @Test func `of a name that is listed twice, first as a folder and then as a link, nothing is copied`() async throws
    {
        let listing = try await fill()
        listing.listTwice("d", linkTo: "/outside")
        let outcome = try await TreeCopy().copyFolder(.root, of: listing, to: ProviderPath("copy"), of: target)
        #expect(outcome.failed.map(\.path.string) == ["/"] && outcome.copied == 2)
        #expect(outcome.failed.first?.error.unusableNames?.count == 2)
        #expect(try await names(target) == ["/copy", "/copy/a", "/copy/e", "/copy/e/y"])
    }

    @Test func `items of other folders are not copied`() async throws {
        let listing = try await fill()
        listing.craft.update {
            $0 = { folder, items in
                guard folder.name == "e", let other = try? ProviderPath("/d/x"), let own = try? ProviderPath("/e/y/z")
                else {
                    return (items, nil)
                }
                return (items + [other, own, .root].map { FileObject(path: $0, type: .regular, size: 1) }, nil)
            }
        }
        let outcome = try await TreeCopy(overwrite: true).copyFolder(
            ProviderPath("e"), of: listing, to: ProviderPath("copy"), of: target)
        #expect(outcome.failed.map(\.path.string) == ["/e"] && outcome.copied == 1)
        #expect(outcome.failed.first?.error.unusableNames?.count == 3)
        #expect(try await names(target) == ["/copy", "/copy/y"])
    }

    @Test(arguments: ["/", "/d"])
    func `a folder with unusable names is named, and the rest of it is copied`(folder: String) async throws {
        let listing = try await fill()
        try listing.leaveOut("nothing", in: ProviderPath(folder))
        let outcome = try await TreeCopy().copyFolder(.root, of: listing, to: ProviderPath("copy"), of: target)
        #expect(outcome.failed.map(\.path.string) == [folder] && outcome.copied == 3)
        #expect(outcome.failed.first?.error.unusableNames?.first == "..")
        #expect(try await names(target) == ["/copy", "/copy/a", "/copy/d", "/copy/d/x", "/copy/e", "/copy/e/y"])
    }
}
