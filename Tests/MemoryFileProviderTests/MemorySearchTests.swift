import FileProviderCore
import Foundation
import MemoryFileProvider
import PredicateFormat
import Testing

/// Core's search on a real tree, against a walk that asks every item.
@Suite struct MemorySearchTests {
    private func tree() async throws -> MemoryFileProvider {
        let provider = MemoryFileProvider()
        for folder in ["a", "a/b", "a/b/c", "d", ".e"] { try await provider.createFolder(path: ProviderPath(folder)) }
        for (index, name) in ["x.epub", "a/y.EPUB", "a/b/z.txt", "a/b/c/w.epub", "d/.v", ".e/u.txt"].enumerated() {
            try await provider.writeContents(
                path: ProviderPath(name), from: DataSource(Data(count: index * 100)),
                options: WriteOptions(modificationDate: Date(timeIntervalSince1970: Double(index) * 86_400)))
        }
        try await provider.writeContents(path: ProviderPath(bytes: [0x64, 0x2F, 0xFF, 0x2E, 0x74]), contents: Data())
        return provider
    }

    @Test func `matches come in pages, and leaving the loop ends the search`() async throws {
        let provider = MemoryFileProvider()
        for number in 0..<20 {
            let folder = try ProviderPath("/\(number)")
            try await provider.createFolder(path: folder)
            try await provider.writeContents(path: folder.appending("a.txt"), contents: Data())
        }
        var names: [String] = []
        for try await page in provider.matches(path: .root, recursive: true, query: .type(.regular)) {
            names += page.map(\.name)
        }
        #expect(names == Array(repeating: "a.txt", count: 20))
        for try await page in provider.matches(path: .root, recursive: true, query: .all) where !page.isEmpty { break }
    }

    @Test(arguments: [
        "TRUEPREDICATE", "FALSEPREDICATE", "name LIKE[c] '*.epub'", "NOT name LIKE '*.epub'", "size > 100",
        "size == nil",
        "isHidden == TRUE", "isDirectory == TRUE",
        "path CONTAINS '/b/'", "modifiedDate > '1970-01-02' AND modifiedDate <= '1970-01-04'",
        "name LIKE '?.t' OR name BEGINSWITH 'x'",
        "url ENDSWITH '/%FF.t'",
    ])
    func `a search finds what a walk that asks every item finds`(_ text: String) async throws {
        let provider = try await tree()
        let query = try FileQuery(format: text)
        let all = CollectedValues<FileObject>()
        try await provider.walk(path: .root) { item in
            var item = item
            item[.url] = provider.url(of: item.path)
            if try query.evaluate(item) { all.append(item) }
        }
        for listings in [nil, 1, 4] {
            let found = CollectedValues<FileObject>()
            try await provider.searchFiles(path: .root, recursive: true, query: query, listings: listings) {
                found.append($0)
            }
            #expect(Set(found.values.map(\.path)) == Set(all.values.map(\.path)))
            #expect(found.values.count == all.values.count)
        }
        #expect(all.values.isEmpty == (text == "FALSEPREDICATE"))
    }

    @Test(arguments: ["", "a", "a/b/c", "d"])
    func `what everything matches, without folders below, is the listing`(_ folder: String) async throws {
        let provider = try await tree()
        let path = try ProviderPath(folder)
        let listed = try await provider.contentsOfDirectory(path: path)
        #expect(!listed.isEmpty)
        #expect(
            try await provider.searchFiles(path: path, recursive: false, query: FileQuery(format: "TRUEPREDICATE")).map(
                \.path)
                == listed.map(\.path))
    }

    @Test func `a file cannot be searched`() async throws {
        let provider = try await tree()
        let error = await #expect(throws: CocoaError.self) {
            try await provider.searchFiles(path: ProviderPath("x.epub"), recursive: true, query: .all)
        }
        #expect(error?.underlying as? POSIXError == POSIXError(.ENOTDIR))
    }
}
