import Carrel

/// The result of a command on books on a device, in the contract's JSON.
struct ShownReport: Encodable {
    /// The number of books that the command was about.
    private(set) var count: Int
    /// The number of books for which it succeeded.
    private(set) var done: Int
    /// Messages about the other books and in general.
    private(set) var messages: [StatusMessage]
    /// Additional problems.
    private(set) var warnings: [String] = []

    init(_ report: CommandReport) { (count, done, messages) = (report.count, report.done, report.messages) }

    init(_ report: PlainFolderReport) {
        (count, done) = (report.done.count + report.failed.count, report.done.count)
        messages = report.failed.map { StatusMessage($0.reason, about: $0.filename) }
        warnings = report.warnings
    }

    /// Combines the reports of commands that ended before the next one failed with `error`, for `books` in their order.
    init(_ reports: [CommandReport], endedBy error: any Error, books: [LibraryBook]) {
        count = books.count
        done = reports.reduce(0) { $0 + $1.done }
        let rest = books.dropFirst(reports.reduce(0) { $0 + $1.count })
        messages =
            reports.flatMap(\.messages) + rest.map { StatusMessage(error.innermost.sentence, about: $0.filename) }
    }
}
