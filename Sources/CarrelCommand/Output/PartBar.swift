import Carrel

/// A line on a terminal with the part that is done; nothing where standard error is piped.
struct PartBar: Sendable {
    private let bar: ProgressBar
    private let reporter: ProgressReporter
    private let reached = LockedValue<Int64>(0)

    private init(_ common: CommonOptions) {
        bar = ProgressBar(isQuiet: common.quiet, unit: .part)
        reporter = bar.reporter
        reporter.expect(1_000)
    }

    /// What `body` comes to; the line is gone when it ends.
    static func during<Value>(_ common: CommonOptions, _ body: (PartBar) async throws -> Value) async throws -> Value {
        let line = PartBar(common)
        defer { line.bar.clear() }
        return try await body(line)
    }

    /// Where an operation that is this part of the whole tells its progress, from 0 to 1; less than before counts for
    /// nothing.
    func progress(_ part: ClosedRange<Double> = 0...1) -> DriverProgress {
        return { [reporter, reached] done in
            guard done.isFinite else { return }
            let share = part.lowerBound + (part.upperBound - part.lowerBound) * min(1, max(0, done))
            let now = Int64(share * 1_000)
            let more = reached.update { before -> Int64 in
                let more = max(0, now - before)
                before += more
                return more
            }
            if more > 0 { reporter.advance(by: more) }
        }
    }
}
