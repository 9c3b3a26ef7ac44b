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
