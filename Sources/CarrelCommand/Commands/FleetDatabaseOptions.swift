import ArgumentParser
import Carrel
import Foundation
import PostgresTransport
import SyncFleet

/// The database of a fleet.
struct FleetDatabaseOptions: ParsableArguments {
    private static let variable = "CARREL_FLEET_DATABASE"
    private static let largest = 64 << 10

    @Option(
        help: ArgumentHelp(
            "The database, such as postgresql://carrel@db.example/carrel; $CARREL_FLEET_DATABASE unless given.",
            valueName: "url"))
    var database: String?
    @Option(
        help: ArgumentHelp("A file whose first line is the database's password.", valueName: "file"),
        completion: .file())
    var databasePasswordFile: String?
    @Option(help: ArgumentHelp("The schema of the fleet's tables; carrel_fleet unless given.", valueName: "name"))
    var schema: String?

    func validate() throws {
        if let file = databasePasswordFile, let reason = unreadable(file) {
            throw ValidationError("The file “\(file)” cannot be read: \(reason).")
        }
    }

    /// Calls `body` with the fleet and closes the connection. Nothing has been sent before.
    ///
    /// - Parameters:
    ///   - isChecked: Whether to check first that the database has the tables of this version.
    ///   - idleLimit: The most seconds to wait for an answer.
    /// - Throws: ``MissingTrait`` in a build without the trait; a usage error for an unusable URL; errors of `body`.
    func withFleet(
        _ session: Session, isChecked: Bool = true, idleLimit: Double? = nil, _ body: (Fleet) async throws -> Void
    ) async throws {
        try Self.checkTrait()
        var configuration = try configuration(session)
        if let idleLimit { configuration.idleLimit = min(configuration.idleLimit, idleLimit) }
        let connection = PostgresConnection(configuration, password: password, logger: session.logger)
        do {
            let fleet: Fleet
            do {
                fleet = try schema.map { try Fleet(connection, schema: $0) } ?? Fleet(connection)
            } catch { throw CommandFailure.usage(error.sentence) }
            if isChecked { try await fleet.checkSchema() }
            try await body(fleet)
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }

    private static func checkTrait() throws {
        #if !Fleet
            throw MissingTrait(name: "Fleet", purpose: "keeps pairs of folders in step by workers on PostgreSQL")
        #endif
    }

    private func configuration(_ session: Session) throws -> PostgresConfiguration {
        let given = database ?? session.environment[Self.variable]
        guard let url = given, !url.isEmpty else {
            throw CommandFailure.usage(
                "Which database? Give --database or $\(Self.variable), such as postgresql://carrel@db.example/carrel.")
        }
        var configuration: PostgresConfiguration
        do { configuration = try PostgresConfiguration(url) } catch { throw CommandFailure.usage(error.sentence) }
        if let timeout = session.common.timeout {
            configuration.connectTimeout = min(configuration.connectTimeout, timeout)
            configuration.idleLimit = timeout
        }
        return configuration
    }

    /// Reads the password's file again for each connection; `nil` without one.
    private var password: (@Sendable () async throws -> String?)? {
        guard let file = databasePasswordFile else { return nil }
        return {
            let data = try await SmallFile.read(file, limit: Self.largest, isSecret: true)
            let lines = String(decoding: data, as: UTF8.self).split(
                omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            return lines.first.map { String($0) }
        }
    }
}
