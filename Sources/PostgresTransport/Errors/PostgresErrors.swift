import FileProviderCore
import Foundation

/// Makes Foundation's errors of a server's. Source: PostgreSQL 15 manual, appendix A.
struct PostgresErrors: Sendable {
    /// The server as sentences name it, such as `db.example:5432`.
    let server: String
    /// Its URL, if it has one host.
    let url: URL?

    // MARK: Statements

    /// A statement was refused, and with it the other ones of its call.
    func refused(_ cause: PostgresServerError) -> any Error {
        let words = LogText.shown(Secrets.removed(from: cause.message), limit: 1000)
        let sentence = "PostgreSQL at “\(server)” refused a statement: \(words) (\(cause.sqlState))."
        func made(_ code: CocoaError.Code) -> CocoaError {
            FileError.make(code, path: "", url: url, sentence: sentence, underlying: cause)
        }
        switch cause.sqlState {
        case "": return failed(cause)
        case "57014": return FileError.make(.timedOut, url: url, sentence: sentence, underlying: cause)
        case "23505": return made(.fileWriteFileExists)
        case "25006": return made(.fileWriteVolumeReadOnly)
        case "42501": return made(.fileWriteNoPermission)
        case "53100": return made(.fileWriteOutOfSpace)
        default: return made(.fileWriteUnknown)
        }
    }

    private func failed(_ cause: PostgresServerError) -> any Error {
        let words = LogText.shown(Secrets.removed(from: cause.message), limit: 1000)
        return FileError.make(
            .fileWriteUnknown, path: "", url: url,
            sentence: "A statement for PostgreSQL at “\(server)” failed: \(words).", underlying: cause)
    }

    /// A result has more bytes than are kept.
    func tooLarge(_ limit: Int) -> any Error {
        FileError.make(
            .fileReadTooLarge, path: "", url: url,
            sentence: "PostgreSQL at “\(server)” answered with more than \(limit) bytes, the limit. "
                + "The statements took effect; ask for fewer rows at once.")
    }

    // MARK: Connections

    /// The connection ended while statements waited for their results.
    func lost(_ cause: PostgresServerError?) -> any Error {
        let words = cause.map { ": " + Self.firstLine(Secrets.removed(from: $0.message)) } ?? ""
        return FileError.make(
            .networkConnectionLost, url: url,
            sentence: "The connection to PostgreSQL at “\(server)” was lost\(words). "
                + "Whether the statements that ran took effect is unknown.", underlying: cause)
    }

    func silent(_ seconds: Double) -> any Error {
        FileError.make(
            .timedOut, url: url,
            sentence: "PostgreSQL at “\(server)” answered nothing for \(seconds) s, and the connection was given up. "
                + "Whether the statements that ran took effect is unknown.")
    }

    func connectTimedOut(_ seconds: Double) -> any Error {
        FileError.make(
            .timedOut, url: url, sentence: "PostgreSQL at “\(server)” did not open a connection within \(seconds) s.")
    }

    func unusable(_ what: String) -> any Error {
        FileError.make(
            .badServerResponse, url: url,
            sentence: "PostgreSQL at “\(server)” \(what); the connection was given up.")
    }

    func openTransaction() -> any Error {
        FileError.make(
            .featureUnsupported, path: "", url: url,
            sentence: "A statement left a transaction open on a shared connection; it was rolled back.")
    }

    /// This side closed the connection.
    func closed() -> any Error {
        FileError.make(.cancelled, url: url, sentence: "The connection to PostgreSQL at “\(server)” was closed.")
    }

    /// A connection could not be made.
    ///
    /// - Parameters:
    ///   - message: libpq's, with `PQERRORS_VERBOSE`, so that it has the server's code.
    ///   - needsPassword: Whether the server wanted a password and there was none.
    func notConnected(_ message: String, needsPassword: Bool, password: String?) -> any Error {
        let cause = Self.cause(message, password: password)
        func made(_ code: URLError.Code, _ sentence: String) -> URLError {
            FileError.make(code, url: url, sentence: sentence, underlying: cause)
        }
        if needsPassword {
            return made(
                .userAuthenticationRequired,
                "PostgreSQL at “\(server)” asks for a password; set PGPASSWORD or add it to the password file.")
        }
        switch cause.sqlState {
        case "": break
        case let state where state.hasPrefix("28"):
            return made(.userAuthenticationRequired, "PostgreSQL at “\(server)” refused the login: \(cause.message).")
        case "3D000", "42501":
            return FileError.make(
                cause.sqlState == "3D000" ? .fileReadNoSuchFile : .fileReadNoPermission, path: "", url: url,
                sentence: "PostgreSQL at “\(server)” refused the connection: \(cause.message).", underlying: cause)
        case let state where ["53", "57", "08"].contains(state.prefix(2)):
            return made(
                .cannotConnectToHost, "PostgreSQL at “\(server)” accepts no connection now: \(cause.message).")
        default:
            return FileError.make(
                .fileReadUnknown, path: "", url: url,
                sentence: "PostgreSQL at “\(server)” refused the connection: \(cause.message).", underlying: cause)
        }
        let words = cause.message
        if words.hasPrefix("could not translate host name") {
            return made(.cannotFindHost, "The host of “\(server)” cannot be found: \(words).")
        }
        if words.contains("certificate") {
            return made(
                .serverCertificateUntrusted,
                "PostgreSQL at “\(server)” is not trusted: \(words)."
                    + (words.contains("host name") ? "" : " Name its authority with sslrootcert=FILE."))
        }
        if words.contains("SSL") {
            return made(.secureConnectionFailed, "No secure connection to PostgreSQL at “\(server)”: \(words).")
        }
        if words.hasPrefix("invalid ") {
            return made(.badURL, "The URL of PostgreSQL at “\(server)” cannot be used: \(words).")
        }
        return made(.cannotConnectToHost, "PostgreSQL at “\(server)” cannot be reached: \(words).")
    }

    // MARK: Words

    /// The last server's failure in libpq's message, which may hold one for each address that was tried.
    static func cause(_ message: String, password: String?) -> PostgresServerError {
        var text = message
        // libpq quotes a URL that it cannot read.
        if let password, password.count >= 4 { text = text.replacing(password, with: "…") }
        let last = text.range(of: " failed: ", options: .backwards).map { text[$0.upperBound...] } ?? text[...]
        let words = firstLine(Secrets.removed(from: String(last)))
        // `FATAL:  28P01: password authentication failed for user "x"`
        guard let mark = words.range(of: ":  ") else { return PostgresServerError(sqlState: "", message: words) }
        let rest = words[mark.upperBound...]
        let state = rest.prefix(5)
        guard state.utf8.count == 5, state.utf8.allSatisfy({ 48...57 ~= $0 || 65...90 ~= $0 }),
            rest.dropFirst(5).hasPrefix(": ")
        else { return PostgresServerError(sqlState: "", message: words) }
        return PostgresServerError(sqlState: String(state), message: String(rest.dropFirst(7)))
    }

    private static func firstLine(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).first ?? "no reason was given"
        return LogText.shown(line.trimmingCharacters(in: .whitespaces), limit: 1000)
    }
}
