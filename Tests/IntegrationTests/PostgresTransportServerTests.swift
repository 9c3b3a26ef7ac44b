#if Fleet
    import FaultServer
    import FileProviderCore
    import Foundation
    import PostgresTransport
    import ProviderDoubles
    import Testing

    /// The transport against a real PostgreSQL.
    @Suite(
        .serialized,
        .enabled(
            if: TestServers.postgres != nil || TestServers.areRequired, "PostgreSQL is not up; run bash Tests/run.sh"))
    struct PostgresTransportServerTests {
        private func server() throws -> TestServers.Postgres { try #require(TestServers.postgres) }

        private func statement(_ sql: String, _ values: [PostgresValue] = []) -> PostgresStatement {
            PostgresStatement(sql, values)
        }

        /// The error of a call.
        private func failure(_ body: () async throws -> Void) async -> (any Error)? {
            do {
                try await body()
                return nil
            } catch {
                return error
            }
        }

        // MARK: Statements

        @Test("values come back as they were sent")
        func values() async throws {
            let connection = try server().connection()
            let bytes = (0...255).map { UInt8($0) }
            let row = try #require(
                try await connection.run(
                    statement(
                        """
                        SELECT $1::text AS t, $2::bigint AS i, $3::float8 AS d, $4::boolean AS b, $5::bytea AS y,
                        $6::text[] AS a, $7::bigint[] AS n, $8::text AS z, $9::timestamptz AS w, 'infinity'::timestamptz AS f
                        """,
                        [
                            "é\n'\"\\", .int(.min), .double(0.1), false, .bytes(bytes), .array(["", "a\"b", "\\"]),
                            .ints([1, .max]), nil, "2026-11-29 19:56:27.123456+02",
                        ])
                ).first)
            #expect(try row.text("t") == "é\n'\"\\")
            #expect(try row.int("i") == .min)
            #expect(try row.double("d") == 0.1)
            #expect(try row.bool("b") == false)
            #expect(try row.bytes("y") == bytes)
            #expect(try row.texts("a") == ["", "a\"b", "\\"])
            #expect(try row.texts("n") == ["1", "\(Int64.max)"])
            #expect(try row.optionalText("z") == nil)
            #expect(abs(try row.date("w").timeIntervalSince1970 - 1_795_974_987.123456) < 0.000_001)
            #expect(try row.date("f") == .distantFuture)
        }

        @Test("statements of one call are one transaction, and what one makes the next one finds")
        func transaction() async throws {
            try await server().with { connection, schema in
                let made = try await connection.run([
                    statement("CREATE TABLE \(schema).a (id bigint PRIMARY KEY)"),
                    statement("INSERT INTO \(schema).a VALUES ($1)", [1]),
                    statement("INSERT INTO \(schema).a VALUES ($1)", [2]),
                    statement("INSERT INTO \(schema).a VALUES ($1)", [3]),
                    statement("SELECT id FROM \(schema).a ORDER BY id"),
                ])
                #expect(made.map(\.affected) == [0, 1, 1, 1, 3])
                #expect(try made[4].map { try $0.int("id") } == [1, 2, 3])
                let error = await failure {
                    _ = try await connection.run([
                        statement("DELETE FROM \(schema).a"), statement("INSERT INTO \(schema).a VALUES (4), (4)"),
                        statement("SELECT 1"),
                    ])
                }
                #expect(error?.isFileExists == true && error?.isTransient == false)
                let cause = (error as? CocoaError)?.underlying as? PostgresServerError
                #expect(cause?.sqlState == "23505" && cause?.detail?.isEmpty == false)
                let left = try await connection.run(statement("SELECT count(*) AS n FROM \(schema).a"))
                #expect(try left[0].int("n") == 3)
                #expect(connection.generation == 1)
            }
        }

        @Test("a constraint that is checked at the end of the transaction is the call's error")
        func deferredConstraint() async throws {
            try await server().with { connection, schema in
                _ = try await connection.run(
                    statement("CREATE TABLE \(schema).a (id bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)"))
                let error = await failure {
                    _ = try await connection.run(statement("INSERT INTO \(schema).a VALUES (1), (1)"))
                }
                #expect(error?.isFileExists == true)
                let rows = try await connection.run(statement("SELECT * FROM \(schema).a"))
                #expect(rows.isEmpty && rows.columns == ["id"] && connection.generation == 1)
            }
        }

        @Test("many tasks share one connection, and a refused call harms no other")
        func sharing() async throws {
            let connection = try server().connection()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<400 {
                    group.addTask {
                        if number % 7 == 3 {
                            let error = await failure {
                                _ = try await connection.run(statement("SELECT 1 / $1::int", [0]))
                            }
                            #expect((error as? CocoaError)?.underlying is PostgresServerError)
                            return
                        }
                        let rows = try await connection.run(statement("SELECT $1::int AS n", [.int(Int64(number))]))
                        #expect(try rows[0].int("n") == Int64(number))
                    }
                }
                try await group.waitForAll()
            }
            #expect(connection.generation == 1)
        }

        @Test("values that are larger than what sockets hold go both ways at once")
        func largeValues() async throws {
            let connection = try server().connection()
            let text = String(repeating: "0123456789abcdef", count: 1 << 16)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let rows = try await connection.run(
                            statement("SELECT $1::text || $2::int AS t", [.text(text), .int(Int64(number))]))
                        let answer = try rows[0].text("t")
                        #expect(answer == text + "\(number)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(connection.generation == 1)
        }

        @Test("a text that is used again is prepared, and no more than 100 are")
        func prepared() async throws {
            let connection = try server().connection()
            func names() async throws -> [String] {
                let rows = try await connection.run(
                    statement("SELECT statement FROM pg_prepared_statements ORDER BY prepare_time"))
                return try rows.map { try $0.text("statement") }
            }
            for _ in 0..<3 { _ = try await connection.run(statement("SELECT 'again'")) }
            #expect(try await names().contains("SELECT 'again'"))
            for number in 0..<120 {
                for _ in 0..<2 { _ = try await connection.run(statement("SELECT \(number)")) }
            }
            // The first of them is prepared itself, and another one goes only behind it.
            _ = try await names()
            let left = try await names()
            #expect(left.count <= 100)
            #expect(left.contains("SELECT 119") && !left.contains("SELECT 'again'"))
        }

        @Test("a prepared statement whose table has changed fails once, and is then prepared again")
        func stalePlan() async throws {
            try await server().with { connection, schema in
                let select = statement("SELECT * FROM \(schema).a")
                _ = try await connection.run(statement("CREATE TABLE \(schema).a (x int)"))
                for _ in 0..<3 { _ = try await connection.run(select) }
                _ = try await connection.run(statement("ALTER TABLE \(schema).a ADD y int"))
                let error = await failure { _ = try await connection.run(select) }
                #expect(error?.isTransient == true, "\(String(describing: error))")
                for _ in 0..<3 {
                    let rows = try await connection.run(select)
                    #expect(rows.columns == ["x", "y"])
                }
                _ = try await connection.run(statement("DEALLOCATE ALL"))
                #expect(await failure { _ = try await connection.run(select) }?.isTransient == true)
                _ = try await connection.run(select)
                #expect(connection.generation == 1)
            }
        }

        @Test("an answer of more bytes than the limit is refused, and the connection goes on")
        func largeAnswer() async throws {
            var configuration = try server().configuration()
            configuration.answerLimit = 100_000
            let connection = try server().connection(configuration)
            let error = await failure {
                _ = try await connection.run(statement("SELECT repeat('x', 100) FROM generate_series(1, 20000)"))
            }
            #expect((error as? CocoaError)?.code == .fileReadTooLarge)
            let rows = try await connection.run(statement("SELECT repeat('x', 99000) AS x"))
            #expect(try rows[0].text("x").utf8.count == 99_000)
            #expect(connection.generation == 1)
        }

        @Test("a transaction that a statement leaves open is rolled back with its connection")
        func openTransaction() async throws {
            let connection = try server().connection()
            _ = await failure { _ = try await connection.run(statement("/* hidden */ BEGIN")) }
            let rows = try await connection.run(statement("SELECT pg_current_xact_id_if_assigned() IS NULL AS free"))
            #expect(try rows[0].bool("free"))
            #expect(connection.generation == 2)
        }

        // MARK: Time

        @Test("a statement that takes too long is ended by the server, and the connection stays")
        func statementTimeout() async throws {
            var configuration = try server().configuration()
            configuration.idleLimit = 1
            let connection = try server().connection(configuration)
            let error = await failure { _ = try await connection.run(statement("SELECT pg_sleep(30)")) }
            #expect((error as? URLError)?.code == .timedOut)
            _ = try await connection.run(statement("SELECT 1"))
            #expect(connection.generation == 1)
        }

        @Test("a server that answers nothing is given up after the limit, and the next call connects again")
        func silentServer() async throws {
            let relay = try TCPRelay(to: server().port)
            defer { relay.stop() }
            var configuration = try server().configuration(hosts: "127.0.0.1:\(relay.port)")
            configuration.idleLimit = 0.5
            let connection = try server().connection(configuration)
            _ = try await connection.run(statement("SELECT 1"))
            relay.hush()
            let error = await failure { _ = try await connection.run(statement("SELECT 2")) }
            #expect((error as? URLError)?.code == .timedOut && error?.isTransient == true)
            _ = try await connection.run(statement("SELECT 3"))
            #expect(connection.generation == 2)
        }

        @Test("of several servers, one that refuses and one that says nothing are passed over")
        func severalServers() async throws {
            let relay = try TCPRelay(to: server().port)
            defer { relay.stop() }
            relay.hushesNew = true
            let gone = try TCPRelay(to: 1)
            let closedPort = gone.port
            gone.stop()
            var configuration = try server().configuration(hosts: "127.0.0.1:\(relay.port)")
            configuration.connectTimeout = 0.3
            let alone = try server().connection(configuration)
            let error = await failure { _ = try await alone.run(statement("SELECT 1")) }
            #expect((error as? URLError)?.code == .timedOut)
            var several = try server().configuration(
                hosts: "127.0.0.1:\(closedPort),127.0.0.1:\(relay.port),127.0.0.1:\(server().port)")
            several.connectTimeout = 0.3
            let connection = try server().connection(several)
            _ = try await connection.run(statement("SELECT 1"))
            #expect(connection.generation == 1)
        }

        @Test("a call that is cancelled ends at once, and its statement disturbs no later one")
        func cancellation() async throws {
            try await server().with { other, schema in
                _ = try await other.run(statement("CREATE TABLE \(schema).a (id int)"))
                let connection = try server().connection()
                _ = try await connection.run(statement("SELECT 1"))
                let slow = Task { try await connection.run(statement("SELECT pg_sleep(25)")) }
                try await eventually {
                    let rows = try await other.run(
                        statement(
                            "SELECT pid FROM pg_stat_activity WHERE query = $1 AND state = 'active'",
                            ["SELECT pg_sleep(25)"]))
                    return !rows.isEmpty
                }
                // Behind the slow one.
                let waiting = Task {
                    try await connection.run(statement("INSERT INTO \(schema).a VALUES (1)"))
                }
                slow.cancel()
                waiting.cancel()
                #expect(await failure { _ = try await slow.value }?.isCancellation == true)
                #expect(await failure { _ = try await waiting.value }?.isCancellation == true)
                _ = try await other.run(
                    statement("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(25)'")
                )
                let rows = try await connection.run(statement("SELECT 5 AS n"))
                #expect(try rows[0].int("n") == 5)
                #expect(connection.generation == 1)
            }
        }

        // MARK: Lost connections

        @Test("if the connection is cut, all that wait fail, and the next call connects again")
        func cutConnection() async throws {
            let relay = try TCPRelay(to: server().port)
            defer { relay.stop() }
            let connection = try server().connection(server().configuration(hosts: "127.0.0.1:\(relay.port)"))
            for _ in 0..<3 { _ = try await connection.run(statement("SELECT 1 AS n")) }
            let tasks = (0..<5).map { _ in
                Task { try await connection.run([statement("SELECT pg_sleep(20)"), statement("SELECT 1 AS n")]) }
            }
            let other = try server().connection()
            try await eventually {
                let rows = try await other.run(
                    statement("SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(20)' AND state = 'active'")
                )
                return !rows.isEmpty
            }
            relay.cut()
            for task in tasks {
                let error = await failure { _ = try await task.value }
                #expect((error as? URLError)?.code == .networkConnectionLost, "\(String(describing: error))")
            }
            for _ in 0..<3 { _ = try await connection.run(statement("SELECT 1 AS n")) }
            #expect(connection.generation == 2)
            _ = try await other.run(
                statement("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(20)'"))
        }

        @Test("a server that ends the connection is heard, while a statement runs and while none does")
        func endedByServer() async throws {
            let connection = try server().connection()
            let other = try server().connection()
            func number() async throws -> Int64 {
                try await connection.run(statement("SELECT pg_backend_pid() AS pid"))[0].int("pid")
            }
            let idle = try await number()
            _ = try await other.run(statement("SELECT pg_terminate_backend($1::int, 10000)", [.int(idle)]))
            // The end may cross the next call, which is then lost.
            try await eventually { await failure { _ = try await number() } == nil }
            #expect(connection.generation == 2)
            let slow = Task { try await connection.run(statement("SELECT pg_sleep(21)")) }
            try await eventually {
                let rows = try await other.run(
                    statement(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE query = 'SELECT pg_sleep(21)' AND state = 'active'
                        """))
                return !rows.isEmpty
            }
            let error = await failure { _ = try await slow.value }
            #expect((error as? URLError)?.code == .networkConnectionLost)
            #expect(error?.sentence.contains("terminating connection") == true)
            _ = try await number()
            #expect(connection.generation == 3)
        }

        // MARK: Notifications

        @Test("notifications arrive; after a new connection an empty one comes first")
        func notifications() async throws {
            let relay = try TCPRelay(to: server().port)
            defer { relay.stop() }
            let connection = try server().connection(server().configuration(hosts: "127.0.0.1:\(relay.port)"))
            let channel = "carrel \"test\" \(UInt64.random(in: 0 ... .max))"
            var payloads = connection.notifications(channel).makeAsyncIterator()
            #expect(await payloads.next() == "")
            let other = try server().connection()
            _ = try await other.run(statement("SELECT pg_notify($1, $2)", [.text(channel), "one"]))
            #expect(await payloads.next() == "one")
            relay.cut()
            #expect(await payloads.next() == "")
            #expect(connection.generation == 2)
            _ = try await other.run(statement("SELECT pg_notify($1, $2)", [.text(channel), "two"]))
            #expect(await payloads.next() == "two")
            await connection.close()
            #expect(await payloads.next() == nil)
        }

        // MARK: Ends

        @Test("closing fails what waits, and every later call")
        func closing() async throws {
            let connection = try server().connection()
            _ = try await connection.run(statement("SELECT 1"))
            let slow = Task { try await connection.run(statement("SELECT pg_sleep(22)")) }
            let other = try server().connection()
            func sleepers() async throws -> PostgresRows {
                try await other.run(
                    statement(
                        "SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(22)' AND state = 'active'"))
            }
            try await eventually { try await !sleepers().isEmpty }
            await connection.close()
            await connection.close()
            #expect((await failure { _ = try await slow.value } as? URLError)?.code == .cancelled)
            #expect(
                (await failure { _ = try await connection.run(statement("SELECT 1")) } as? URLError)?.code == .cancelled
            )
            _ = try await other.run(
                statement("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(22)'"))
        }

        @Test("with the last reference, the session and the thread end")
        func lastReference() async throws {
            let name = "carrel-\(UInt64.random(in: 0 ... .max))"
            let other = try server().connection()
            func sessions() async throws -> Int64 {
                let count = statement(
                    "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = $1", [.text(name)])
                return try await other.run(count)[0].int("n")
            }
            do {
                let connection = try server().connection(server().configuration("&application_name=\(name)"))
                _ = try await connection.run(statement("SELECT 1"))
                #expect(try await sessions() == 1)
            }
            try await eventually { try await sessions() == 0 }
        }

        @Test("a refused login shows the password nowhere")
        func refusedLogin() async throws {
            let log = RecordedLog()
            let connection = PostgresConnection(
                try server().configuration(), password: { "wrong-s3cret" }, logger: log.logger)
            let error = try #require(await failure { _ = try await connection.run(statement("SELECT 1")) } as? URLError)
            #expect(error.code == .userAuthenticationRequired && !error.isTransient)
            #expect((error.userInfo[NSUnderlyingErrorKey] as? PostgresServerError)?.sqlState == "28P01")
            #expect(!"\(error) \(error.userInfo) \(error.sentence)".contains("s3cret"))
            #expect(!log.text.contains("s3cret") && !log.lines.isEmpty)
        }

        @Test("a password that cannot be had is the call's error, and is asked for again")
        func failedPassword() async throws {
            let asked = LockedValue(0)
            let password = try server().password
            let connection = PostgresConnection(
                try server().configuration(),
                password: {
                    let count = asked.update { count in
                        count += 1
                        return count
                    }
                    if count == 1 { throw CocoaError(.userCancelled) }
                    return password
                })
            #expect(await failure { _ = try await connection.run(statement("SELECT 1")) }?.isCancellation == true)
            _ = try await connection.run(statement("SELECT 1"))
            #expect(asked.value == 2)
        }

        @Test("a server that is not there is a transient error that names it")
        func noServer() async throws {
            let relay = try TCPRelay(to: 1)
            let port = relay.port
            relay.stop()
            let connection = try server().connection(server().configuration(hosts: "127.0.0.1:\(port)"))
            let error = await failure { _ = try await connection.run(statement("SELECT 1")) }
            #expect((error as? URLError)?.code == .cannotConnectToHost && error?.isTransient == true)
            #expect(error?.sentence.contains("127.0.0.1:\(port)") == true)
        }

        @Test("a database that does not exist is an error with the server's words")
        func noDatabase() async throws {
            let url = try server().url.replacing("/carrel?", with: "/no-such-database?")
            let connection = try server().connection(PostgresConfiguration(url))
            let error = await failure { _ = try await connection.run(statement("SELECT 1")) }
            #expect(error?.isNoSuchFile == true && error?.sentence.contains("no-such-database") == true)
        }

        @Test(
            "a socket on this machine needs no password",
            .enabled(if: TestServers.postgres?.socketURL != nil || TestServers.areRequired, "it has no socket"))
        func socket() async throws {
            let url = try #require(try server().socketURL)
            let connection = PostgresConnection(try PostgresConfiguration(url))
            let rows = try await connection.run(statement("SELECT inet_client_addr() IS NULL AS local"))
            #expect(try rows[0].bool("local"))
        }
    }
#endif
