import FileProviderCore
import Foundation
import Testing

@testable import PostgresTransport

@Suite struct PostgresConfigurationTests {
    @Test(
        "a password in the URL is refused, and no part of it is repeated",
        arguments: [
            "postgresql://user:s3cret@host/db", "postgresql://user:s3c/ret@host/db",
            "postgresql://user:s3c?ret@host/db",
            "postgresql://host/db?password=s3cret", "postgresql://host/db?sslpassword=s3cret",
            "postgresql://us@er:s3cret@host/db", "postgresql://host:s3cret/db",
        ])
    func passwords(_ url: String) {
        let error = #expect(throws: URLError.self) { _ = try PostgresConfiguration(url) }
        #expect(error?.code == .badURL)
        #expect(error.map { "\($0) \($0.sentence) \($0.userInfo)".contains("s3c") } == false)
        #expect(error?.sentence.isEmpty == false)
    }

    @Test(
        "a URL that is none is refused",
        arguments: ["", "host", "https://host/db", "postgresql://ho st/", "postgresql://[::1/"])
    func noURLs(_ url: String) {
        #expect(throws: URLError.self) { _ = try PostgresConfiguration(url) }
    }

    @Test("hosts, ports and parameters are read as libpq reads them")
    func parts() throws {
        let url = try PostgresURL("postgres://u@a:1,[::1]:2,b,%2Ftmp%2Fx/db?sslmode=disable&options=-c%20a=b")
        #expect(
            url.hosts == [
                .init(name: "a", port: "1"), .init(name: "::1", port: "2"), .init(name: "b", port: ""),
                .init(name: "/tmp/x", port: ""),
            ])
        #expect(url.parameters == ["sslmode": "disable", "options": "-c a=b"])
        #expect(url.shownServer == "a:1, [::1]:2, b, /tmp/x")
        #expect(try PostgresURL("postgresql:///db?host=/run/x").shownServer == "/run/x")
    }

    @Test(
        "a server that may be elsewhere is verified, and one on this machine is not",
        arguments: [
            ("postgresql://db.example/x", [:], true), ("postgresql://localhost,db.example/x", [:], true),
            ("postgresql://localhost,127.0.0.1,[::1]/x", [:], false), ("postgresql:///x", [:], false),
            ("postgresql:///x", ["PGHOST": "db.example"], true), ("postgresql:///x?host=db.example", [:], true),
            ("postgresql://%2Frun%2Fx/x", [:], false), ("postgresql://localhost/x?hostaddr=10.0.0.1", [:], true),
            ("postgresql://localhost/x", ["PGHOSTADDR": "10.0.0.1"], true), ("postgresql:///x?service=a", [:], true),
            ("postgresql://127.example/x", [:], true), ("postgresql://db.example/x?sslmode=require", [:], false),
        ] as [(String, [String: String], Bool)])
    func verification(_ url: String, _ environment: [String: String], _ isVerified: Bool) throws {
        let configuration = try PostgresConfiguration(url)
        let attempt = try #require(
            PostgresKeywords(configuration, environment: environment).attempts(password: nil).first)
        #expect(attempt.settings.contains { $0.name == "sslmode" && $0.value == "verify-full" } == isVerified)
        let database = try #require(attempt.settings.firstIndex { $0.name == "dbname" })
        let defaults = attempt.settings[..<database].map(\.name)
        // What stands behind the URL replaces it.
        #expect(Set(attempt.settings[database...].map(\.name)).isDisjoint(with: defaults))
    }

    @Test("each of several hosts is one attempt; a standby is looked for first if it is preferred")
    func attempts() throws {
        func tried(_ url: String) throws -> [String] {
            try PostgresKeywords(PostgresConfiguration(url), environment: [:]).attempts(password: "p").map { attempt in
                attempt.settings.filter { ["host", "port", "target_session_attrs"].contains($0.name) }.map(\.value)
                    .joined(separator: " ")
            }
        }
        #expect(try tried("postgresql://a:1,b/x") == ["a 1", "b 5432"])
        #expect(try tried("postgresql://a:1/x") == [""])
        #expect(
            try tried("postgresql://a,b/x?target_session_attrs=prefer-standby") == [
                "a 5432 standby", "b 5432 standby", "a 5432 any", "b 5432 any",
            ])
    }

    @Test("a configuration is stored and read, with the usual values for what is missing")
    func coding() throws {
        var configuration = try PostgresConfiguration("postgresql://u@host/db?sslmode=disable")
        configuration.idleLimit = 5
        let data = try JSONEncoder().encode(configuration)
        #expect(try JSONDecoder().decode(PostgresConfiguration.self, from: data) == configuration)
        let short = try JSONDecoder().decode(
            PostgresConfiguration.self, from: Data(#"{"url":"postgresql://host/db"}"#.utf8))
        #expect(short.connectTimeout == 10 && short.idleLimit == 30 && short.answerLimit == 64 << 20)
        #expect(throws: (any Error).self) {
            _ = try JSONDecoder().decode(
                PostgresConfiguration.self, from: Data(#"{"url":"postgresql://u:p@host/db"}"#.utf8))
        }
        #expect(configuration.description == "postgresql://u@host/db")
    }
}
