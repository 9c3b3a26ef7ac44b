import FileProviderCore
public import Foundation

/// What the server, or libpq itself, said: the underlying error of a Foundation error.
public struct PostgresServerError: Error, LocalizedError, Equatable, Sendable {
    /// Five characters, such as `23505`; empty if libpq itself failed. Source: PostgreSQL 15 manual, appendix A.
    public let sqlState: String
    /// The server's message, in its language.
    public let message: String
    /// More about it. May contain values of the statement.
    public let detail: String?
    /// What to do about it.
    public let hint: String?
    /// Whether a prepared statement had to go, which a new one replaces.
    let isStale: Bool

    init(sqlState: String, message: String, detail: String? = nil, hint: String? = nil, isStale: Bool = false) {
        self.sqlState = sqlState
        self.message = message
        self.detail = detail
        self.hint = hint
        self.isStale = isStale
    }

    /// The server's message; never nil.
    public var errorDescription: String? { message }
}

extension PostgresServerError: PassingFailure {
    /// Whether a later try may succeed: after a conflict with another transaction, a lock that another holds, exhausted
    /// resources, or a prepared statement that is prepared again.
    package var mayPass: Bool {
        isStale || ["40001", "40P01", "55P03", "53000", "53200", "53300", "53400"].contains(sqlState)
    }
}
