import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// Files and caches that cannot be read, for a while or for good; and books that are fetched.
@Suite struct PlainFolderFaultTests {
    private static let cache = ".carrel-books.sqlite"

    private func bed(_ names: String...) async throws -> PlainFolderBed {
        var bed = try await PlainFolderBed()
        bed.options.booksAtOnce = 1
        for name in names { try await bed.put("\(name).epub", PlainFolderBed.epub(name.uppercased())) }
        return bed
    }

    @Test func `files that a server cannot read do not keep the others from being listed`() async throws {
        let bed = try await bed("a", "b", "c", "d", "e")
        bed.provider.change {
            $0.onOpen = { path in
                guard ["a.epub", "b.epub", "c.epub", "d.epub"].contains(path.name) else { return }
                throw FileError.make(.fileReadUnknown, path: path, underlying: ServerFailure())
            }
        }
        let listing = try await bed.driver().books()
        #expect(listing.books.map(\.title) == ["a", "b", "c", "d", "E"])
        #expect(listing.warnings.count == 4)
    }

    /// A server that answers that it failed.
    private struct ServerFailure: FileProviderHTTPError {
        var code: FileProviderHTTPErrorCode { FileProviderHTTPErrorCode(rawValue: 500) }
        var path: String { "" }
        var serverDescription: String? { nil }
    }

    @Test func `two files that nobody answers for, here and there, end nothing`() async throws {
        let bed = try await bed("a", "b", "c", "d", "e", "f")
        bed.provider.change {
            $0.onOpen = { path in
                guard ["a.epub", "b.epub", "d.epub", "e.epub"].contains(path.name) else { return }
                throw URLError(.timedOut)
            }
        }
        #expect(try await bed.driver().books().books.map(\.title) == ["a", "b", "C", "d", "e", "F"])
    }

    @Test func `a book that is gone is forgotten although another one cannot be read`() async throws {
        let bed = try await bed("a", "b")
        let driver = try bed.driver()
        _ = try await driver.books()
        try await bed.remove("a.epub")
        try await bed.put("locked.epub", PlainFolderBed.epub("Locked", filler: 500))
        bed.provider.change {
            $0.onOpen = { if $0.name == "locked.epub" { throw FileError.make(.fileReadNoPermission, path: $0) } }
        }
        _ = try await driver.books()
        #expect(try await bed.remembered().entries.map(\.path) == ["b.epub"])
    }

    @Test func `a cache that another driver writes while it is read is read again`() async throws {
        let bed = try await bed("a")
        _ = try await bed.driver().books()
        let failures = CollectedValues<Void>()
        bed.provider.change {
            $0.hasTags = false
            $0.onOpen = { path in
                guard path.name == Self.cache, failures.values.count < 2 else { return }
                failures.append(())
                throw FileError.changedWhileReading(path)
            }
        }
        let listing = try await bed.driver().books()
        #expect(listing.books.map(\.title) == ["A"])
        #expect(listing.warnings == [])
        #expect(failures.values.count == 2)
    }

    @Test func `without tags, too, a cache that was just written is not fetched again`() async throws {
        let bed = try await bed("a")
        bed.provider.change { $0.hasTags = false }
        let driver = try bed.driver()
        _ = try await driver.books()
        let opened = CollectedValues<String>()
        bed.provider.change { $0.onOpen = { opened.append($0.name) } }
        _ = try await driver.books()
        // Its ends alone are looked at.
        #expect(opened.values.filter { $0 == Self.cache }.count == 1)
    }

    @Test func `books are fetched under names that are not taken, and one that fails stays in its place`() async throws
    {
        let bed = try await bed("a")
        try await bed.put("x/a.epub", PlainFolderBed.epub("Other"))
        let driver = try bed.driver()
        let books = try await driver.books().books
        var missing = books[0]
        missing.filename = "missing.epub"
        let folder = try TemporaryFolder()
        try Data().write(to: folder.url.appending(path: "a.epub"))
        let results = await driver.fetchForImport([books[0], missing, books[1]], into: folder.url)
        #expect(results.map { try? $0.get().lastPathComponent } == ["a 2.epub", nil, "a 3.epub"])
        #expect(try results.last.map { try Data(contentsOf: $0.get()) } == PlainFolderBed.epub("Other"))
        await driver.eject()
        #expect(await driver.fetchForImport(books, into: folder.url).map { (try? $0.get()) == nil } == [true, true])
    }
}
