import FaultServer
import Foundation
import SampleBooks
import Testing

/// `lcp` with a server that lends a book: status, acquiring, renewing and returning, as a script sees them.
@Suite struct CommandLoanTests {
    private static let chapter = Data(
        """
        <html xmlns="http://www.w3.org/1999/xhtml"><head><title>Loomings</title></head>
        <body><p>Call me Ishmael.</p></body></html>
        """.utf8)
    /// 2 MB, most of it a picture.
    private static let book = Result {
        var numbers = SeededNumbers(seed: 38)
        let entries = [
            ProtectedPackages.Entry("c1.html", type: "text/html", chapter),
            ProtectedPackages.Entry("p.jpg", type: "image/jpeg", numbers.bytes(2_000_000)),
        ]
        return try ProtectedPackages.readium(.webpub, title: "Moby-Dick", entries, license: nil)
    }

    /// Calls `body` with a server, and a folder that has its licence in `moby.lcpl`.
    private func use(_ body: (inout CommandRunner, LoanServer) async throws -> Void) async throws {
        var license = SampleLicense()
        license.publicationType = "application/webpub+zip"
        let server = try LoanServer(book: Self.book.get(), name: "moby.webpub", license: license)
        defer { server.stop() }
        try await CommandRunner.use { runner in
            try runner.write("root.pem", LCPVectors.rootCertificatePEM)
            runner.environment["CARREL_LCP_ROOT"] = runner.path("root.pem")
            runner.environment["CARREL_PASSPHRASE"] = LCPVectors.passphrase
            try runner.write("moby.lcpl", server.license())
            try await body(&runner, server)
        }
    }

    private func data(_ name: String, _ runner: CommandRunner) throws -> Data {
        try Data(contentsOf: runner.folder.appending(path: name))
    }

    /// The end of the licence that is in a file.
    private func end(_ name: String, _ runner: CommandRunner) async throws -> String? {
        let license = try await runner.run("lcp", "info", "--json", name).object
        return (license["rights"] as? [String: Any])?["end"] as? String
    }

    private func expectReadable(
        _ name: String, _ runner: CommandRunner, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await runner.run("book", "cat", name, "c1.html")
        #expect(outcome.code == 0 && outcome.output == Self.chapter, "\(outcome.error)", sourceLocation: location)
    }

    @Test func `a book is acquired, read, kept for longer and returned`() async throws {
        try await use { runner, server in
            let status = try await runner.run("lcp", "status", "--json", "moby.lcpl")
            #expect(status.code == 0 && status.object["status"] as? String == "ready", "\(status.error)")

            let acquired = try await runner.run("lcp", "acquire", "--json", "moby.lcpl", "moby.webpub")
            let size = try data("moby.webpub", runner).count
            #expect(acquired.code == 0, "\(acquired.error)")
            #expect(acquired.object["path"] as? String == "moby.webpub" && acquired.object["size"] as? Int == size)
            #expect(acquired.object["license"] as? String == SampleLicense().id)
            #expect(try await end("moby.webpub", runner) == server.loan.end.formatted(.iso8601))

            // The first opening registers this machine, and no other does.
            for _ in 0..<2 { try await expectReadable("moby.webpub", runner) }
            #expect(server.loan.devices.count == 1)
            let lines = try await runner.run("lcp", "status", "moby.webpub").text
            #expect(lines.contains("status\tactive\n") && lines.contains("possible\tregister, renew, return\n"))

            let day = String(server.loan.end.addingTimeInterval(5 * 86_400).formatted(.iso8601).prefix(10))
            let renewed = try await runner.run("lcp", "renew", "--until", day, "moby.webpub")
            #expect(renewed.code == 0 && renewed.text.contains("status\tactive\n"), "\(renewed.error)")
            #expect(try await end("moby.webpub", runner) == "\(day)T23:59:59Z")
            let query = "/renew?end=\(day)T23%3A59%3A59Z&id=\(server.loan.devices.joined())&name="
            #expect(server.requests.contains { $0.method == "PUT" && $0.target.hasPrefix(query) })
            try await expectReadable("moby.webpub", runner)

            let returned = try await runner.run("lcp", "return", "moby.webpub")
            #expect(returned.code == 0 && returned.text.contains("status\treturned\n"), "\(returned.error)")
            let info = try await runner.run("book", "info", "moby.webpub")
            #expect(info.code == 0 && info.text.contains("locked\tThe book was returned.\n"))
            expectFailure(
                try await runner.run("book", "cat", "moby.webpub", "c1.html"), 4, "The book was returned.")
            expectFailure(try await runner.run("lcp", "return", "moby.webpub"), 4, "The provider does not offer that")
            // Without a network the last word of the server counts.
            server.stop()
            expectFailure(
                try await runner.run("book", "cat", "--retries", "0", "moby.webpub", "c1.html"), 4,
                "The book was returned.")
        }
    }

    @Test func `a licence alone is read by ranges, without a download`() async throws {
        try await use { runner, server in
            let outcome = try await runner.run("book", "cat", "--stats", "moby.lcpl", "c1.html")
            #expect(outcome.code == 0 && outcome.output == Self.chapter, "\(outcome.error)")
            #expect((outcome.statistics["bytesIn"] as? Int ?? .max) < 500_000)
            let parts = server.requests.filter { $0.method == "GET" && $0.target == "/moby.webpub" }
            #expect(!parts.isEmpty && parts.allSatisfy { $0.headers["range"] != nil })
            #expect(try runner.names() == [".local", "moby.lcpl", "root.pem"])
        }
    }

    @Test(arguments: [[], ["--resume"]])
    func `a book that is not the licence's leaves nothing`(flags: [String]) async throws {
        try await use { runner, server in
            let names = try runner.names()
            let changes: [(String, (inout SampleLicense) -> Void)] = [
                ("has another hash", { $0.publicationHash = String(repeating: "0", count: 64) }),
                ("bytes long and not 1000", { $0.publicationLength = 1_000 }),
            ]
            for (sentence, change) in changes {
                try runner.write("moby.lcpl", server.license(change))
                expectFailure(
                    try await runner.run(["lcp", "acquire"] + flags + ["moby.lcpl", "moby.webpub"]), 8, sentence)
                #expect(try runner.names() == names)
            }
        }
    }

    @Test func `a file that exists is replaced only if that is asked for`() async throws {
        try await use { runner, server in
            try runner.write("moby.webpub", "notes")
            expectFailure(try await runner.run("lcp", "acquire", "moby.lcpl", "moby.webpub"), 5, "moby.webpub")
            #expect(try runner.read("moby.webpub") == "notes")
            let outcome = try await runner.run("lcp", "acquire", "--overwrite", "moby.lcpl", "moby.webpub")
            #expect(outcome.code == 0, "\(outcome.error)")
            try await expectReadable("moby.webpub", runner)
        }
    }

    @Test func `without trust in its signer a licence reaches no server`() async throws {
        try await use { runner, server in
            try runner.write("other.pem", LCPVectors.strangerRootCertificatePEM)
            for verb in ["status", "acquire", "renew", "return"] {
                expectFailure(
                    try await runner.run("lcp", verb, "--lcp-root", "other.pem", "moby.lcpl"), 4, "was not issued under"
                )
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `what the server refuses changes no file, and nor does a server that is not there`() async throws {
        try await use { runner, server in
            #expect(try await runner.run("lcp", "acquire", "moby.lcpl", "moby.webpub").code == 0)
            let book = try data("moby.webpub", runner)
            expectFailure(
                try await runner.run("lcp", "renew", "--until", "2099-01-01", "moby.webpub"), 4,
                "It says: “Others wait for this book.”")
            server.change { $0.isRenewedOnPage = true }
            expectFailure(try await runner.run("lcp", "renew", "moby.webpub"), 4, "\(server.url)renew.html")
            server.stop()
            for verb in ["status", "renew", "return"] {
                expectFailure(try await runner.run("lcp", verb, "--retries", "0", "moby.webpub"), 6)
            }
            #expect(try data("moby.webpub", runner) == book)
        }
    }
}
