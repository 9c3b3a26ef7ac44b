import Foundation
import SampleBooks
import Testing

/// `book` and `lcp` with protected books, as far as they need no server.
@Suite struct CommandLCPTests {
    private func writeLockedBook(_ runner: CommandRunner) throws {
        let book = try #require(try SamplePublication.all().first { $0.fileName == "shut.epub" })
        for (name, data) in book.files { try runner.write(name, data) }
    }

    @Test func `without a certificate a book opens to its metadata, and says what to give`() async throws {
        try await CommandRunner.use { runner in
            try writeLockedBook(runner)
            let info = try await runner.run("book", "info", "shut.epub")
            #expect(info.code == 0 && info.text.contains("title\tShut\n"))
            #expect(info.text.contains("--lcp-root FILE or $CARREL_LCP_ROOT"))
            expectFailure(
                try await runner.run("book", "cat", "shut.epub", "a.xhtml"), 4,
                "--lcp-root FILE or $CARREL_LCP_ROOT")
            // Nothing is asked of a book that stays locked, and nothing is kept.
            #expect(try runner.names() == ["shut.epub"])
        }
    }

    @Test func `a plain book leaves nothing on the disk, whatever certificates are given`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("plain.epub", try SampleBook.small())
            try runner.write("root.pem", LCPVectors.rootCertificatePEM)
            let info = try await runner.run("book", "info", "--lcp-root", "root.pem", "plain.epub")
            #expect(info.code == 0, "\(info.error)")
            #expect(try runner.names() == ["plain.epub", "root.pem"])
        }
    }

    @Test func `text counts as copied, and more than the licence allows is not written`() async throws {
        try await CommandRunner.use { runner in
            let words = "Call me Ishmael."
            let page = Data(
                "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>1</title></head><body><p>\(words)</p></body></html>"
                    .utf8)
            let picture = Data(repeating: 0xFF, count: 10_000)
            var license = SampleLicense()
            // Once the page and twice the words, and one character less than a third time.
            license.copy = Int64(page.count + 3 * words.count - 1)
            let entries = [
                ProtectedPackages.Entry("c1.html", type: "text/html", page),
                ProtectedPackages.Entry("p.jpg", type: "image/jpeg", picture),
            ]
            try runner.write(
                "moby.webpub",
                ProtectedPackages.readium(.webpub, title: "Moby-Dick", entries, license: license.signed()))
            try runner.write("root.pem", LCPVectors.rootCertificatePEM)
            runner.environment["CARREL_LCP_ROOT"] = runner.path("root.pem")
            runner.environment["CARREL_PASSPHRASE"] = LCPVectors.passphrase

            #expect(try await runner.run("book", "cat", "moby.webpub", "p.jpg").output == picture)
            let cat = try await runner.run("book", "cat", "moby.webpub", "c1.html")
            #expect(cat.code == 0 && cat.output == page, "\(cat.error)")
            for flags in [[], ["--json"]] {
                let text = try await runner.run(["book", "text"] + flags + ["moby.webpub"])
                #expect(text.code == 0 && text.text.contains(words), "\(text.error)")
            }
            let left = "allows \(words.count - 1) more characters"
            for arguments in [["text", "moby.webpub"], ["cat", "moby.webpub", "c1.html"]] {
                let outcome = try await runner.run(["book"] + arguments)
                expectFailure(outcome, 4, left)
                #expect(outcome.output.isEmpty)
            }
            let search = try await runner.run("book", "search", "moby.webpub", "ishmael")
            #expect(search.code == 0 && search.text.contains("[Ishmael]"), "\(search.error)")
            #expect(try await runner.run("book", "cat", "moby.webpub", "p.jpg").code == 0)
        }
    }

    @Test(arguments: ["status", "acquire", "renew", "return"])
    func `verbs that ask a server need a certificate`(verb: String) async throws {
        try await CommandRunner.use { runner in
            try writeLockedBook(runner)
            let outcome = try await runner.run("lcp", verb, "--json", "shut.epub")
            expectFailure(outcome, 4, "--lcp-root FILE or $CARREL_LCP_ROOT")
            #expect((outcome.failure["message"] as? String)?.contains("--lcp-root") == true)
            #expect(try runner.names() == ["shut.epub"])
        }
    }

    @Test func `a file that is no certificate is wrong usage, and so is a date that is none`() async throws {
        try await CommandRunner.use { runner in
            try writeLockedBook(runner)
            try runner.write("root.pem", "not a certificate")
            expectFailure(
                try await runner.run("book", "info", "--lcp-root", "root.pem", "shut.epub"), 2, "root.pem")
            expectFailure(
                try await runner.run("lcp", "status", "--lcp-root", "missing.pem", "shut.epub"), 2, "missing.pem")
            expectFailure(try await runner.run("lcp", "renew", "--until", "soon", "shut.epub"), 2, "--until")
        }
    }

    @Test func `what has no licence is exit code 8`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("plain.epub", try SampleBook.small())
            let outcome = try await runner.run("lcp", "info", "--json", "plain.epub")
            expectFailure(outcome, 8, "carrel: lcp info plain.epub: ")
            #expect(outcome.failure["domain"] as? String == "NSCocoaErrorDomain")
        }
    }
}
