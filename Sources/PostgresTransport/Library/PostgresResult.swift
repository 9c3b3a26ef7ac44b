#if Fleet
    import CPQ

    /// Owns one result of libpq.
    struct PostgresResult: ~Copyable {
        private let raw: OpaquePointer

        init(_ raw: OpaquePointer) { self.raw = raw }

        deinit {
            PQclear(raw)
        }

        var status: ExecStatusType { PQresultStatus(raw) }
        var rowCount: Int { Int(PQntuples(raw)) }
        var columnCount: Int { Int(PQnfields(raw)) }
        /// Of an INSERT, UPDATE, DELETE, MERGE or SELECT.
        var affected: Int { Int(String(cString: PQcmdTuples(raw))) ?? 0 }

        func columns() -> PostgresColumns {
            PostgresColumns((0..<PQnfields(raw)).map { String(cString: PQfname(raw, $0)) })
        }

        /// - Returns: The row's values, and their bytes with those of the row itself.
        func row(_ index: Int) -> (values: [String?], size: Int) {
            var size = 16
            let values = (0..<PQnfields(raw)).map { column -> String? in
                size += 16
                if PQgetisnull(raw, Int32(index), column) != 0 { return nil }
                let count = Int(PQgetlength(raw, Int32(index), column))
                size += count
                return UnsafeBufferPointer(start: PQgetvalue(raw, Int32(index), column), count: count)
                    .withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
            }
            return (values, size)
        }

        /// The server's error; without a code if it is libpq's.
        func error(isNamed: Bool) -> PostgresServerError {
            let state = field(carrel_PG_DIAG_SQLSTATE) ?? ""
            let message = field(carrel_PG_DIAG_MESSAGE_PRIMARY) ?? String(cString: PQresultErrorMessage(raw))
            // The table has other columns than when it was prepared, or the name is gone.
            return PostgresServerError(
                sqlState: state, message: message, detail: field(carrel_PG_DIAG_MESSAGE_DETAIL),
                hint: field(carrel_PG_DIAG_MESSAGE_HINT), isStale: isNamed && (state == "0A000" || state == "26000"))
        }

        /// Whether the server ends the connection with this error.
        var isFatal: Bool { ["FATAL", "PANIC"].contains(field(carrel_PG_DIAG_SEVERITY_NONLOCALIZED)) }

        private func field(_ code: Int32) -> String? { PQresultErrorField(raw, code).map { String(cString: $0) } }
    }
#endif
