import FileProviderCore
public import Logging

/// A connection to a PostgreSQL database that many tasks share.
///
/// Statements of several calls are on their way at once (pipeline mode), and run one after the other. The connection is
/// made by the first call, and again by the next one after it was lost. It has one thread, which ends with
/// ``close()`` or the last reference. Needs the package trait `Fleet`.
///
/// Source: PostgreSQL 15 manual, 34.5.
public final class PostgresConnection: Sendable {
    private let control: PostgresControl

    /// A connection; nothing is sent yet.
    ///
    /// - Parameter password: Called for each new connection, on no particular thread. If it is nil or returns nil,
    ///   libpq takes `PGPASSWORD` or the password file.
    public init(
        _ configuration: PostgresConfiguration, password: (@Sendable () async throws -> String?)? = nil,
        logger: Logger? = nil
    ) {
        #if Fleet
            control = PostgresControl(configuration, password: password, logger: logger) { control, event in
                try PostgresLoop.start(control, event)
            }
        #else
            control = PostgresControl(configuration, password: password, logger: logger) { _, _ in
                throw MissingTrait(name: "Fleet", purpose: "connects to PostgreSQL")
            }
        #endif
    }

    deinit {
        control.close()
    }

    /// Runs statements as one transaction and returns the rows of each.
    ///
    /// If one is refused, none has taken effect. If the task is cancelled, the call ends at once: statements that were
    /// already sent still take effect.
    ///
    /// - Throws: `URLError(.cannotConnectToHost)`, `.cannotFindHost`, `.timedOut`, `.userAuthenticationRequired`,
    ///   `.serverCertificateUntrusted` or `.secureConnectionFailed` without a connection;
    ///   `URLError(.networkConnectionLost)` or `.timedOut` if it was lost, when it is unknown whether the statements
    ///   took effect; else `CocoaError` with ``PostgresServerError`` below it. `isTransient` is true for a conflict
    ///   with another transaction.
    /// - Complexity: One round trip. All rows are in memory, up to ``PostgresConfiguration/answerLimit``.
    public func run(_ statements: [PostgresStatement]) async throws -> [PostgresRows] {
        if statements.isEmpty { return [] }
        for statement in statements { try statement.check() }
        try Task.checkCancellation()
        let request = PostgresRequest(statements)
        try control.add(request)
        return try await request.rows()
    }

    /// Runs one statement and returns its rows; see ``run(_:)-([PostgresStatement])``.
    public func run(_ statement: PostgresStatement) async throws -> PostgresRows {
        guard let rows = try await run([statement]).first else { throw CancellationError() }
        return rows
    }

    /// Returns the payloads of a channel's notifications, and an empty one when listening begins: now and after each
    /// new connection, since some may have been missed.
    ///
    /// While there is a stream, a lost connection is made again without a call, after a pause of up to 10 s. A stream
    /// keeps the last 1,000 payloads that were not read. It ends with the connection object.
    public func notifications(_ channel: String) -> AsyncStream<String> { control.listen(channel) }

    /// The number of connections made so far: it changes when one was lost and made again.
    public var generation: Int { control.generation }

    /// Closes the connection and returns once it is closed. Statements that wait fail with `URLError(.cancelled)`, as
    /// does every later call.
    public func close() async {
        control.close()
        await control.ended()
    }
}
