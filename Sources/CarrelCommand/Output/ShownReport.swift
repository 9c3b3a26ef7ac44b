import Carrel

/// What came of a command on books that are on a device, in the contract's JSON.
struct ShownReport: Encodable {
    /// How many books it was about.
    private(set) var count: Int
    /// With how many of them it was done.
    private(set) var done: Int
    /// What there is to say of the others, and in general.
    private(set) var messages: [StatusMessage]
    /// What went wrong besides.
    private(set) var warnings: [String] = []

    init(_ report: CommandReport) { (count, done, messages) = (report.count, report.done, report.messages) }

    init(_ report: PlainFolderReport) {
        (count, done) = (report.done.count + report.failed.count, report.done.count)
        messages = report.failed.map { StatusMessage($0.reason, about: $0.filename) }
        warnings = report.warnings
    }

    /// The reports on the commands that were over when the next one failed with `error`; of `books`, in their order.
    init(_ reports: [CommandReport], endedBy error: any Error, books: [LibraryBook]) {
        count = books.count
        done = reports.reduce(0) { $0 + $1.done }
        let rest = books.dropFirst(reports.reduce(0) { $0 + $1.count })
        messages =
            reports.flatMap(\.messages) + rest.map { StatusMessage(error.innermost.sentence, about: $0.filename) }
    }
}
