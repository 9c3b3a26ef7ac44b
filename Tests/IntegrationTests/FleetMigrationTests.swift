#if Fleet
    import FileProviderCore
    import Foundation
    import PostgresTransport
    import Testing

    @testable import SyncFleet

    /// The schema of a fleet in a real PostgreSQL.
    @Suite(.serialized, .enabled(if: FleetQueueBed.isReady, "PostgreSQL is not up; run bash Tests/run.sh"))
    struct FleetMigrationTests {
        @Test("Several processes migrate at once: each migration is applied once")
        func concurrent() async throws {
            try await FleetQueueBed.use(isMade: false) { bed in
                let missing = await #expect(throws: CocoaError.self) { try await bed.fleet.checkSchema() }
                #expect(missing?.code == .fileReadNoSuchFile)
                let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 {
                        let (fleet, connection) = try bed.another()
                        group.addTask {
                            let count = try await fleet.migrate()
                            await connection.close()
                            return count
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(counts.reduce(0, +) == FleetMigration.all.count)
                try await bed.fleet.checkSchema()
                #expect(try await bed.fleet.migrate() == 0)
            }
        }

        @Test("A schema of a newer version is refused and stays as it is")
        func newer() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.sql(
                    "INSERT INTO @.migration (number, checksum) SELECT max(number) + 1, 'x' FROM @.migration")
                for body in [{ _ = try await bed.fleet.migrate() }, { try await bed.fleet.checkSchema() }] {
                    let error = await #expect(throws: CocoaError.self) { try await body() }
                    #expect(error?.sentence.contains("newer") == true)
                }
            }
        }

        @Test("A migration with another checksum is refused")
        func changed() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.sql("UPDATE @.migration SET checksum = 'x' WHERE number = 2")
                let error = await #expect(throws: CocoaError.self) { try await bed.fleet.checkSchema() }
                #expect(error?.sentence.contains("checksum") == true)
            }
        }

        @Test("An older schema is brought up to date, and refused until then")
        func older() async throws {
            try await FleetQueueBed.use(isMade: false) { bed in
                let schema = try FleetSchema(bed.schema)
                _ = try await bed.connection.run(schema.migrating(Array(FleetMigration.all.prefix(2)), exists: true))
                let error = await #expect(throws: CocoaError.self) { try await bed.fleet.checkSchema() }
                #expect(error?.sentence.contains("older") == true)
                #expect(try await bed.fleet.migrate() == FleetMigration.all.count - 2)
                try await bed.fleet.checkSchema()
            }
        }

        @Test("Each function looks in the fleet's schema alone")
        func searchPaths() async throws {
            try await FleetQueueBed.use { bed in
                let others = try await bed.sql(
                    """
                    SELECT proname FROM pg_proc WHERE pronamespace = to_regnamespace($1::text)
                    AND replace(proconfig[1], '"', '') IS DISTINCT FROM 'search_path=' || $1::text || ', pg_temp'
                    """, [.text(bed.schema)])
                #expect(try others.map { try $0.text("proname") } == [])
            }
        }
    }
#endif
