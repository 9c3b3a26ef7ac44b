import Carrel

/// A progress line on a terminal with the share that is done; prints nothing if standard error is piped.
struct PartBar: Sendable {
    private let bar: ProgressBar
    private let reporter: ProgressReporter
    private let reached = LockedValue<Int64>(0)

    private init(_ common: CommonOptions) {
        bar = ProgressBar(isQuiet: common.quiet, unit: .part)
        reporter = bar.reporter
        reporter.expect(1_000)
    }

    /// Returns the result of `body`; the line is removed when it ends.
    static func during<Value>(_ common: CommonOptions, _ body: (PartBar) async throws -> Value) async throws -> Value {
        let line = PartBar(common)
        defer { line.bar.clear() }
        return try await body(line)
    }

    /// Returns a receiver for the progress, from 0 to 1, of an operation that is `part` of the whole. Ignores steps
    /// back.
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
