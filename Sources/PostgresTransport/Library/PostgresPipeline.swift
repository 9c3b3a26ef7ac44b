#if Fleet
    import CPQ
    import FileProviderCore
    import Foundation
    import Logging

    /// Sends requests on one connection and hands out their results; on its thread only.
    ///
    /// The results come in the order of what was sent: one for each statement and each preparation, and one for the
    /// sync that ends a transaction. After an error, the server skips everything up to that sync. Source: PostgreSQL 15
    /// manual, 34.5.1.
    final class PostgresPipeline {
        /// What the server owes.
        private enum Expected {
            case preparation(String, PostgresRun)
            case statement(String, isNamed: Bool, PostgresRun)
            case sync(PostgresRun)

            var run: PostgresRun {
                switch self {
                case .preparation(_, let run), .statement(_, _, let run), .sync(let run): run
                }
            }
        }

        let link: PostgresLink
        /// Whether the socket has something to read.
        private var isReadable = false
        private let control: PostgresControl
        private var prepared = PreparedStatements()
        private var channels: Set<String> = []
        private var expected: [Expected] = []
        private var first = 0
        /// Whether the first of them has had a result.
        private var isAnswered = false
        private var runs = 0
        /// When the server last sent or accepted something.
        private var progress = ContinuousClock.now

        /// The most statements on their way; the others wait in this process.
        private static let depth = 1024

        init(_ control: PostgresControl, _ link: PostgresLink) {
            self.control = control
            self.link = link
        }

        /// Until when the server has to send something; nil while it owes nothing.
        var deadline: ContinuousClock.Instant? {
            isIdle ? nil : progress + .clamped(seconds: control.configuration.idleLimit)
        }

        private var isIdle: Bool { first == expected.count }

        /// The socket's events of poll(2), for the next turn.
        func noteEvents(_ events: Int16) {
            isReadable = events & ~Int16(POLLOUT) != 0
            if events != 0 { progress = .now }
        }

        /// Sends and receives what can be at once.
        ///
        /// - Throws: If the connection has to be given up.
        func turn() throws {
            // Before anything is sent: the server may have closed the connection while it was idle.
            if isReadable { try read() }
            try flush()
            try sendAll()
            try flush()
            try receive()
            notify()
            if let deadline, deadline <= .now { throw control.errors.silent(control.configuration.idleLimit) }
        }

        /// Ends the connection; everything under way fails.
        func end(_ error: any Error) {
            for index in first..<expected.count {
                if case .request(let request) = expected[index].run.purpose { request.give(.failure(error)) }
            }
            expected = []
            first = 0
        }

        /// Ends the connection without farewell.
        func abandon(_ error: any Error) {
            link.abandon()
            end(error)
        }

        // MARK: Sending

        private func sendAll() throws {
            if runs == 0 { try send(.settings, [settings]) }
            try sendChannels()
            // libpq moves all that is left to send with each piece that the socket accepts.
            while expected.count - first < Self.depth, !link.isFull {
                let requests = control.take(statements: Self.depth - (expected.count - first), bytes: 1 << 18)
                if requests.isEmpty { break }
                // They are the thread's from here on: each is answered, whatever happens to the others.
                var rest = requests[...]
                do {
                    while let request = rest.first {
                        try send(.request(request), request.statements)
                        rest.removeFirst()
                    }
                } catch {
                    for request in rest { request.give(.failure(error)) }
                    throw error
                }
                try flush()
            }
            let unwanted = prepared.takeUnwanted()
            if !unwanted.isEmpty {
                try send(.housekeeping, unwanted.map { PostgresStatement("DEALLOCATE \($0)") })
            }
        }

        private func flush() throws {
            if !link.flush() { throw control.errors.lost(lastWords) }
        }

        private func send(_ purpose: PostgresRun.Purpose, _ statements: [PostgresStatement]) throws {
            if isIdle { progress = .now }
            runs += 1
            let run = PostgresRun(purpose, statements, number: runs)
            var isSent = true
            for statement in statements {
                isSent = isSent && send(statement, of: run)
            }
            isSent = isSent && link.sync()
            expect(.sync(run))
            if !isSent { throw control.errors.lost(lastWords) }
        }

        private func send(_ statement: PostgresStatement, of run: PostgresRun) -> Bool {
            let sql = statement.sql
            guard case .request = run.purpose else {
                defer { expect(.statement(sql, isNamed: false, run)) }
                return link.send(sql, statement.values)
            }
            switch prepared.plan(for: sql, run: run.number) {
            case .direct:
                defer { expect(.statement(sql, isNamed: false, run)) }
                return link.send(sql, statement.values)
            case .named(let name):
                defer { expect(.statement(sql, isNamed: true, run)) }
                return link.sendPrepared(name, statement.values)
            case .prepare(let name):
                let isSent = link.prepare(name, sql)
                expect(.preparation(sql, run))
                defer { expect(.statement(sql, isNamed: true, run)) }
                return isSent && link.sendPrepared(name, statement.values)
            }
        }

        private func expect(_ next: Expected) {
            let wasIdle = isIdle
            expected.append(next)
            if wasIdle { begin() }
        }

        private func sendChannels() throws {
            let wanted = control.takeChannels()
            for channel in channels.subtracting(wanted.all).sorted() {
                try send(.housekeeping, [PostgresStatement("UNLISTEN \(Self.quoted(channel))")])
            }
            for channel in wanted.all.filter({ !channels.contains($0) || wanted.fresh.contains($0) }).sorted() {
                try send(.listen(channel), [PostgresStatement("LISTEN \(Self.quoted(channel))")])
            }
            channels = wanted.all
        }

        /// Source: PostgreSQL 15 manual, 4.1.1.
        private static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

        /// What the values' forms depend on, and a limit that lets the server end a statement before the connection is
        /// given up.
        private var settings: PostgresStatement {
            let limit = Int(min(max(control.configuration.idleLimit, 0.01), 86_400) * 900)
            return PostgresStatement(
                """
                SELECT set_config('DateStyle', 'ISO, YMD', false), set_config('TimeZone', 'UTC', false),
                set_config('bytea_output', 'hex', false), set_config('extra_float_digits', '1', false),
                CASE WHEN current_setting('statement_timeout') = '0'
                THEN set_config('statement_timeout', $1, false) END
                """, [.text(String(limit))])
        }

        // MARK: Receiving

        private func read() throws {
            isReadable = false
            repeat {
                let isUsable = link.consume()
                // Also what arrived before the end.
                try receive()
                if !isUsable { throw control.errors.lost(lastWords) }
            } while link.hasPendingBytes
        }

        private func receive() throws {
            var ends = 0
            while !isIdle, !link.isBusy {
                guard let result = link.next() else {
                    ends += 1
                    if isAnswered {
                        advance()
                        ends = 0
                    }
                    // libpq has nothing that is owed: it lost its place.
                    if ends > 3 { throw control.errors.unusable("sent results that were not asked for") }
                    continue
                }
                ends = 0
                try handle(result)
            }
            if isIdle, link.isInTransaction { throw control.errors.openTransaction() }
        }

        private func handle(_ result: consuming PostgresResult) throws {
            let head = expected[first]
            switch result.status {
            case PGRES_PIPELINE_SYNC:
                guard case .sync(let run) = head else {
                    throw control.errors.unusable("ended a transaction that was under way")
                }
                // No end follows.
                advance()
                finish(run)
            case PGRES_SINGLE_TUPLE: keep(result, head)
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
                keep(result, head)
                isAnswered = true
                switch head {
                case .preparation(let sql, _): prepared.confirm(sql)
                case .statement(_, _, let run): run.endStatement(affected: result.affected)
                case .sync: break
                }
            case PGRES_PIPELINE_ABORTED:
                isAnswered = true
                if case .preparation(let sql, _) = head { prepared.abandon(sql) }
            case PGRES_FATAL_ERROR: try fail(result, head)
            default: throw control.errors.unusable("began a copy of data, which a pipeline does not allow")
            }
        }

        private func keep(_ result: borrowing PostgresResult, _ head: Expected) {
            let limit = control.configuration.answerLimit
            guard case .statement(_, _, let run) = head, !run.add(result, limit: limit) else { return }
            run.fail(control.errors.tooLarge(limit))
        }

        private func fail(_ result: borrowing PostgresResult, _ head: Expected) throws {
            var isNamed = false
            if case .statement(_, true, _) = head { isNamed = true }
            let cause = result.error(isNamed: isNamed)
            if result.isFatal || link.isBad { throw control.errors.lost(cause) }
            switch head {
            case .preparation(let sql, _):
                prepared.abandon(sql)
                isAnswered = true
            case .statement(let sql, _, _):
                if cause.isStale { prepared.forget(sql) }
                isAnswered = true
            // A constraint that is checked at the end; the sync itself is still to come.
            case .sync: break
            }
            head.run.fail(control.errors.refused(cause))
        }

        private func advance() {
            first += 1
            isAnswered = false
            if first == expected.count || first > 1024 {
                expected.removeFirst(first)
                first = 0
            }
            if !isIdle { begin() }
        }

        /// The first of what is owed is now the one that libpq receives.
        private func begin() {
            if case .statement = expected[first] { link.receiveRowsSingly() }
        }

        private func finish(_ run: PostgresRun) {
            switch run.purpose {
            case .request(let request): request.give(run.failure.map { .failure($0) } ?? .success(run.rows))
            case .listen(let channel) where run.failure == nil: control.notify(channel, "")
            case .settings, .listen, .housekeeping:
                guard let failure = run.failure else { return }
                control.logger?.warning(
                    "PostgreSQL: a statement of the connection itself failed.",
                    metadata: ["error": "\(failure.loggedSentence)"])
            }
        }

        private func notify() {
            for notification in link.notifications() { control.notify(notification.channel, notification.payload) }
        }

        private var lastWords: PostgresServerError { PostgresServerError(sqlState: "", message: link.message) }
    }
#endif
