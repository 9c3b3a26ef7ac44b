#if Fleet
    import Foundation
    import PostgresTransport
    import Testing

    @testable import SyncFleet

    /// A fleet in a schema of one test in the real PostgreSQL.
    struct FleetQueueBed: Sendable {
        let fleet: Fleet
        let connection: PostgresConnection
        let schema: String
        private let server: TestServers.Postgres

        static func use(isMade: Bool = true, _ body: (FleetQueueBed) async throws -> Void) async throws {
            let server = try #require(TestServers.postgres)
            try await server.with { connection, schema in
                let fleet = try Fleet(connection, schema: schema)
                let bed = FleetQueueBed(fleet: fleet, connection: connection, schema: schema, server: server)
                if isMade { try await fleet.migrate() }
                try await body(bed)
            }
        }

        /// The fleet over another connection.
        func another() throws -> (fleet: Fleet, connection: PostgresConnection) {
            let connection = try server.connection()
            return (try Fleet(connection, schema: schema), connection)
        }

        /// Runs SQL in which `@` is the schema.
        @discardableResult
        func sql(_ text: String, _ values: [PostgresValue] = []) async throws -> PostgresRows {
            try await connection.run(PostgresStatement(text.replacing("@", with: schema), values))
        }

        /// Adds pairs with folders on this machine and, if given, on a host.
        func add(_ names: String..., owner: String = "", host: String? = nil, every: Double = 3600) async throws {
            try await fleet.add(names.map { Self.pair($0, owner: owner, host: host, every: every) })
        }

        static func pair(_ name: String, owner: String = "", host: String? = nil, every: Double = 3600) -> FleetPair {
            var pair = FleetPair(
                name: name, source: "file:///\(name)",
                destination: host.map { "dav://\($0)/\(name)" } ?? "file:///to/\(name)")
            pair.owner = owner
            pair.every = every
            return pair
        }

        /// Takes pairs as a worker that promotes first.
        func claim(_ count: Int = 1, worker: String = "w") async throws -> [FleetLease] {
            try await fleet.promote()
            return try await fleet.claim(worker: worker, count: count)
        }

        /// The names of the pairs that a worker takes now.
        func names(_ count: Int = 100) async throws -> [String] { try await claim(count).map(\.pair.name).sorted() }

        func status(_ name: String) async throws -> FleetPairStatus { try #require(try await fleet.pair(name)) }

        @discardableResult
        func end(_ lease: FleetLease, _ outcome: String = "success", delay: Double = 3600, gate: String? = nil)
            async throws -> Bool
        {
            try await fleet.release(
                lease,
                FleetRelease(
                    outcome: outcome, delay: delay, gate: gate, gateDelay: gate == nil ? 0 : 600, changes: 2, bytes: 10,
                    error: outcome == "success" ? nil : "It failed."))
        }

        /// What cannot be while nothing is under way.
        func faults() async throws -> [String] {
            try await sql("SELECT f FROM @.faults() AS f").map { try $0.text("f") }
        }

        static let isReady = TestServers.postgres != nil || TestServers.areRequired
    }
#endif
