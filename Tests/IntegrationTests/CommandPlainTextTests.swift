import Carrel
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

/// Protected books that the command reads: their text stays in memory.
@Suite struct CommandPlainTextTests {
    private static let books = MarkedBook.allCases.filter { $0 != .lcpdf || PDFDocument.isSupported }
    private static let hasPDFText = FileManager.default.isExecutableFile(atPath: "/usr/bin/pdftotext")

    @Test(arguments: books)
    func `a book that was read as a whole leaves no plain text in any folder`(book: MarkedBook) async throws {
        try await CommandRunner.use { runner in
            try prepare(&runner)
            let resources = book.resources
            try runner.write(book.fileName, book.package(resources, license: SampleLicense().signed()))
            try await read(book, resources, runner)
            // The command used the folders: its identity and its store of rights are there.
            #expect(try runner.names("state/carrel/lcp").contains("licenses.db"))
            let scan = PlainTextScan(marker: MarkedBook.marker, resources: resources.map(\.content))
            #expect(try scan.findings(in: runner.folder).isEmpty)

            // The scan finds what is there.
            let plain = try #require(resources.first).content
            try runner.write("tmp/.part", Data(plain.suffix(2_000)))
            try runner.write("cache/deflated", Data([1]) + Deflate.pack(plain))
            #expect(try scan.findings(in: runner.folder) == ["cache/deflated", "tmp/.part"])
        }
    }

    /// All folders that a program may write to are inside the one of the test.
    private func prepare(_ runner: inout CommandRunner) throws {
        for (variable, name) in [
            ("HOME", "home"), ("TMPDIR", "tmp"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state"),
            ("XDG_CONFIG_HOME", "config"),
        ] {
            try runner.makeFolder(name)
            runner.environment[variable] = runner.path(name)
        }
        try runner.write("root.pem", LCPVectors.rootCertificatePEM)
        runner.environment["CARREL_LCP_ROOT"] = runner.path("root.pem")
        runner.environment["CARREL_PASSPHRASE"] = LCPVectors.passphrase
    }

    private func read(_ book: MarkedBook, _ resources: [ProtectedPackages.Entry], _ runner: CommandRunner) async throws
    {
        let info = try await runner.run("book", "info", book.fileName)
        #expect(info.code == 0 && info.text.hasPrefix("title\tMarked\n") && !info.text.contains("\nlocked\t"))
        for resource in resources {
            let outcome = try await runner.run("book", "cat", book.fileName, resource.path)
            let isEqual = outcome.output == resource.content
            #expect(outcome.code == 0 && isEqual, "\(resource.path): \(outcome.error)")
        }
        let text = try await runner.run("book", "text", book.fileName)
        let found = try await runner.run("book", "search", book.fileName, MarkedBook.lastWord)
        let hits = found.text.split(separator: "\n")
        switch book {
        case .epub:
            #expect(text.code == 0 && text.text.contains(MarkedBook.marker), "\(text.error)")
            #expect(found.code == 0 && hits.count == 2, "\(found.error)")
        case .lcpdf where Self.hasPDFText:
            #expect(text.code == 0 && text.text.contains(MarkedBook.marker), "\(text.error)")
            #expect(found.code == 0 && hits.count == 1, "\(found.error)")
        case .lcpdf, .lcpa: #expect(hits.isEmpty)
        }
    }
}
