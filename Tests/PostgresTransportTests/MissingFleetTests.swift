#if !Fleet
    import FileProviderCore
    import PostgresTransport
    import Testing

    @Suite struct MissingFleetTests {
        @Test("without the trait, a call says which trait is missing, and a stream of notifications ends")
        func missingTrait() async throws {
            let connection = PostgresConnection(try PostgresConfiguration("postgresql://127.0.0.1/x"))
            let select = PostgresStatement("SELECT 1")
            let error = await #expect(throws: MissingTrait.self) { _ = try await connection.run(select) }
            #expect(error?.name == "Fleet")
            for await _ in connection.notifications("x") { Issue.record("There is no server.") }
            await connection.close()
        }
    }
#endif
