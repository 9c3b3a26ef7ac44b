#if Fleet
    import CPQ
    import FileProviderCore
    import Foundation

    /// Owns one connection of libpq, in pipeline mode once it is made. For one thread.
    final class PostgresLink {
        let raw: OpaquePointer
        private let notices: PostgresNotices
        /// Whether there is more to send than the socket accepts now.
        private(set) var isFull = false

        /// Begins to connect. Blocks while names are looked up.
        init?(_ settings: [(name: String, value: String)], notices: PostgresNotices) {
            let started = Self.withPointers(settings.map(\.name)) { names in
                Self.withPointers(settings.map(\.value)) { values in PQconnectStartParams(names, values, 1) }
            }
            guard let started else { return nil }
            raw = started
            self.notices = notices
            notices.receive(of: raw)
            // The error of a refused login then has its code.
            PQsetErrorVerbosity(raw, PQERRORS_VERBOSE)
        }

        deinit {
            PQfinish(raw)
        }

        var socket: Int32 { PQsocket(raw) }
        var isBad: Bool { PQstatus(raw) == CONNECTION_BAD }
        var message: String { String(cString: PQerrorMessage(raw)) }
        var needsPassword: Bool { PQconnectionNeedsPassword(raw) != 0 }
        /// Whether no statement is under way and one has left a transaction open.
        var isInTransaction: Bool { [PQTRANS_INTRANS, PQTRANS_INERROR].contains(PQtransactionStatus(raw)) }

        /// The server's host and version, for the log.
        var shown: String {
            let host = PQhost(raw).map { String(cString: $0) } ?? ""
            return LogText.shown("\(host), version \(PQserverVersion(raw))")
        }

        /// Gives up without farewell.
        func abandon() {
            if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
        }

        /// - Returns: Whether the connection can be used.
        func enterPipeline() -> Bool {
            // Results have their codes anyway; this is for notices.
            PQsetErrorVerbosity(raw, PQERRORS_DEFAULT)
            return PQsetnonblocking(raw, 1) == 0 && PQenterPipelineMode(raw) == 1
        }

        // MARK: Sending

        func send(_ sql: String, _ values: [PostgresValue]) -> Bool {
            Self.withPointers(values.map(\.sent)) {
                PQsendQueryParams(raw, sql, Int32(values.count), nil, $0, nil, nil, 0) == 1
            }
        }

        func prepare(_ name: String, _ sql: String) -> Bool { PQsendPrepare(raw, name, sql, 0, nil) == 1 }

        func sendPrepared(_ name: String, _ values: [PostgresValue]) -> Bool {
            Self.withPointers(values.map(\.sent)) {
                PQsendQueryPrepared(raw, name, Int32(values.count), $0, nil, nil, 0) == 1
            }
        }

        func sync() -> Bool { PQpipelineSync(raw) == 1 }

        /// - Returns: Whether the connection can still be used.
        func flush() -> Bool {
            let result = PQflush(raw)
            isFull = result == 1
            return result >= 0
        }

        // MARK: Receiving

        /// Reads what has arrived.
        ///
        /// - Returns: Whether the connection can still be used.
        func consume() -> Bool { PQconsumeInput(raw) == 1 }

        var hasPendingBytes: Bool { PostgresLibrary.hasPendingBytes(raw) }
        /// Whether ``next()`` would block.
        var isBusy: Bool { PQisBusy(raw) == 1 }

        /// - Returns: The next result; nil at the end of a statement.
        func next() -> PostgresResult? { PQgetResult(raw).map { PostgresResult($0) } }

        /// Gives the rows of the statement whose results come next one by one.
        func receiveRowsSingly() { PQsetSingleRowMode(raw) }

        /// - Returns: The notifications that have arrived.
        func notifications() -> [(channel: String, payload: String)] {
            var all: [(channel: String, payload: String)] = []
            while let notification = PQnotifies(raw) {
                defer { PQfreemem(notification) }
                let payload = notification.pointee.extra.map { String(cString: $0) } ?? ""
                all.append((String(cString: notification.pointee.relname), payload))
            }
            return all
        }

        /// Calls `body` with C strings, null for nil, and a null at the end.
        private static func withPointers<Value>(
            _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
        ) -> Value {
            let copies = texts.map { text in text.map { strdup($0) } ?? nil }
            defer { for copy in copies { free(copy) } }
            let pointers = copies.map { UnsafePointer($0) } + [nil]
            return pointers.withUnsafeBufferPointer { buffer in
                guard let start = buffer.baseAddress else { preconditionFailure("The null at the end is missing.") }
                return body(start)
            }
        }
    }
#endif
