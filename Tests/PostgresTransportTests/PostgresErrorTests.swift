import FileProviderCore
import Foundation
import Testing

@testable import PostgresTransport

@Suite struct PostgresErrorTests {
    private let errors = PostgresErrors(server: "db.example", url: nil)

    @Test("the code and the words of the last server that was tried are found in libpq's message")
    func causes() {
        let cause = PostgresErrors.cause(
            """
            connection to server at "a" (10.0.0.1), port 5432 failed: Connection refused
            \tIs the server running on that host and accepting TCP/IP connections?
            connection to server at "b" (10.0.0.2), port 5432 failed: FATAL:  28P01: password authentication failed
            LOCATION:  auth_failed, auth.c:338
            """, password: nil)
        #expect(cause == PostgresServerError(sqlState: "28P01", message: "password authentication failed"))
        let refused = "connection to server at \"a\" failed: Connection refused\n\tIs it"
        let other = PostgresErrors.cause(refused, password: nil)
        #expect(other == PostgresServerError(sqlState: "", message: "Connection refused"))
    }

    @Test("libpq's words about a URL do not show the password")
    func passwords() {
        let message = "invalid percent-encoded token: \"postgresql://u:s3cret-word@h\" s3cret-word"
        #expect(!PostgresErrors.cause(message, password: "s3cret-word").message.contains("s3cret"))
        #expect(!PostgresErrors.cause("\"postgresql://u:s3cret@h/\"", password: nil).message.contains("s3cret"))
    }

    @Test(
        "a refused connection is the error that callers know",
        arguments: [
            (" failed: FATAL:  28P01: no", URLError.Code.userAuthenticationRequired, false),
            (" failed: FATAL:  57P03: the database system is starting up", .cannotConnectToHost, true),
            (" failed: FATAL:  53300: too many clients", .cannotConnectToHost, true),
            (" failed: Connection refused", .cannotConnectToHost, true),
            (" failed: SSL error: certificate verify failed", .serverCertificateUntrusted, false),
            (" failed: server does not support SSL, but SSL was required", .secureConnectionFailed, false),
            ("could not translate host name \"x\" to address: Name or service not known", .cannotFindHost, false),
            ("invalid sslmode value: \"x\"", .badURL, false),
        ])
    func connections(_ message: String, _ code: URLError.Code, _ isTransient: Bool) {
        let error = errors.notConnected(message, needsPassword: false, password: nil)
        #expect((error as? URLError)?.code == code)
        #expect(error.isTransient == isTransient)
        #expect(error.sentence.contains("db.example"))
    }

    @Test(
        "a refused statement is the error that callers know, and a conflict may be tried again",
        arguments: [
            ("40001", CocoaError.Code.fileWriteUnknown, true), ("40P01", .fileWriteUnknown, true),
            ("23505", .fileWriteFileExists, false), ("53100", .fileWriteOutOfSpace, false),
            ("42501", .fileWriteNoPermission, false), ("42P01", .fileWriteUnknown, false),
        ])
    func statements(_ state: String, _ code: CocoaError.Code, _ isTransient: Bool) throws {
        let error = try #require(
            errors.refused(PostgresServerError(sqlState: state, message: "words")) as? CocoaError)
        #expect(error.code == code)
        #expect(error.isTransient == isTransient)
        #expect((error.underlying as? PostgresServerError)?.sqlState == state)
        #expect(error.sentence.contains("words") && error.sentence.contains(state))
    }
}
