/// The rows that a statement returned, in the server's order.
public struct PostgresRows: Sendable, RandomAccessCollection {
    let columnNames: PostgresColumns
    let values: [[String?]]
    /// The number of rows that the statement inserted, changed, removed or returned.
    public let affected: Int

    init(columns: PostgresColumns, values: [[String?]], affected: Int) {
        columnNames = columns
        self.values = values
        self.affected = affected
    }

    /// The names of the columns.
    public var columns: [String] { columnNames.names }
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { values.count }
    /// Returns a row by its position, which begins at 0.
    public subscript(position: Int) -> PostgresRow { PostgresRow(columns: columnNames, values: values[position]) }
}

/// The columns of a result, shared by its rows.
final class PostgresColumns: Sendable {
    let names: [String]
    /// The first column of each name.
    let positions: [String: Int]

    init(_ names: [String]) {
        self.names = names
        positions = Dictionary(zip(names, 0...)) { first, _ in first }
    }
}
