#if Fleet
    import Foundation
    import Logging
    import PostgresTransport
    import Testing

    extension TestServers {
        /// A real PostgreSQL, as `Tests/Servers/servers.sh env` names it.
        struct Postgres: Sendable {
            /// With a password, over TCP on 127.0.0.1.
            var url: String
            var password: String
            /// Without a password, over a socket in a folder.
            var socketURL: String?

            var port: Int { URLComponents(string: url)?.port ?? 5432 }

            /// The URL with other hosts.
            func url(hosts: String, _ parameters: String = "") -> String {
                url.replacing("127.0.0.1:\(port)", with: hosts) + parameters
            }

            func configuration(hosts: String? = nil, _ parameters: String = "") throws -> PostgresConfiguration {
                try PostgresConfiguration(url(hosts: hosts ?? "127.0.0.1:\(port)", parameters))
            }

            func connection(_ configuration: PostgresConfiguration? = nil, logger: Logger? = nil) throws
                -> PostgresConnection
            {
                PostgresConnection(
                    try configuration ?? self.configuration(), password: { [password] in password }, logger: logger)
            }

            /// A connection and the name of a schema for one test, which is removed at its end.
            func with(_ body: (PostgresConnection, String) async throws -> Void) async throws {
                let schema = "test_\(UInt64.random(in: 0 ... .max))"
                let connection = try connection()
                _ = try await connection.run(PostgresStatement("CREATE SCHEMA \(schema)"))
                do { try await body(connection, schema) } catch {
                    // The test's own error is the one to show.
                    _ = try? await self.connection().run(PostgresStatement("DROP SCHEMA \(schema) CASCADE"))
                    throw error
                }
                _ = try await self.connection().run(PostgresStatement("DROP SCHEMA \(schema) CASCADE"))
                await connection.close()
            }
        }

        static let postgres: Postgres? = environment["CARREL_TEST_POSTGRES_URL"].map { url in
            Postgres(
                url: url, password: environment["CARREL_TEST_POSTGRES_PASSWORD"] ?? "",
                socketURL: environment["CARREL_TEST_POSTGRES_SOCKET_URL"])
        }
    }
#endif
