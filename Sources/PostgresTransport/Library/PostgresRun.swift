#if Fleet
    /// Statements that are on their way as one transaction. For the connection's thread.
    final class PostgresRun {
        enum Purpose {
            case request(PostgresRequest)
            /// How the server writes values.
            case settings
            case listen(String)
            /// Nothing waits for it.
            case housekeeping
        }

        let purpose: Purpose
        let number: Int
        let statements: [PostgresStatement]
        private(set) var rows: [PostgresRows] = []
        private(set) var failure: (any Error)?
        private var columns: PostgresColumns?
        private var values: [[String?]] = []
        private var size = 0

        init(_ purpose: Purpose, _ statements: [PostgresStatement], number: Int) {
            self.purpose = purpose
            self.statements = statements
            self.number = number
        }

        /// Whether the rows are kept.
        private var isWanted: Bool {
            guard failure == nil, case .request(let request) = purpose else { return false }
            return !request.isAnswered
        }

        /// Keeps a result's rows.
        ///
        /// - Returns: Whether they are not more than `limit` bytes.
        func add(_ result: borrowing PostgresResult, limit: Int) -> Bool {
            guard isWanted else { return true }
            if columns == nil, result.columnCount > 0 { columns = result.columns() }
            for index in 0..<result.rowCount {
                let row = result.row(index)
                size += row.size
                if size > limit { return false }
                values.append(row.values)
            }
            return true
        }

        /// A statement has ended well.
        func endStatement(affected: Int) {
            guard isWanted else { return }
            rows.append(PostgresRows(columns: columns ?? PostgresColumns([]), values: values, affected: affected))
            columns = nil
            values = []
        }

        /// The first failure counts.
        func fail(_ error: any Error) {
            if failure == nil { failure = error }
            rows = []
            values = []
        }
    }
#endif
