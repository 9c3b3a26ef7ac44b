import Carrel
import Foundation

/// A progress line on a terminal; prints nothing if standard error is piped.
final class ProgressBar: Sendable {
    private let start = ContinuousClock.now
    private let next = LockedValue(ContinuousClock.now)
    private let isShown: Bool
    private let unit: Unit

    /// The unit of progress.
    enum Unit {
        case bytes
        /// Thousandths of the whole.
        case part
    }

    init(isQuiet: Bool, unit: Unit = .bytes) {
        isShown = !isQuiet && isatty(2) == 1
        self.unit = unit
    }

    /// The reporter for the operation.
    var reporter: ProgressReporter {
        guard isShown else { return ProgressReporter() }
        return ProgressReporter { [self] completed, total in draw(completed, total) }
    }

    /// Removes the line.
    func clear() {
        if isShown { Output.rawStandardError("\r\u{1B}[K") }
    }

    private func draw(_ completed: Int64, _ total: Int64?) {
        let now = ContinuousClock.now
        let isDue = next.update { next in
            if now < next { return false }
            next = now + .milliseconds(100)
            return true
        }
        let seconds = (now - start) / .seconds(1)
        guard isDue, seconds > 0.3 else { return }
        let rate = Double(completed) / seconds
        if unit == .part {
            let left = rate > 0 && completed < 1_000 ? ", \(Int(Double(1_000 - completed) / rate)) s left" : ""
            return Output.rawStandardError("\r\u{1B}[K\(completed / 10) %\(left)")
        }
        var text = "\r\u{1B}[K\(Self.bytes(completed))"
        if let total, total > 0 {
            text += " of \(Self.bytes(total)), \(min(100, completed * 100 / total)) %"
            if rate > 0 { text += ", \(Int(Double(total - completed) / rate)) s left" }
        }
        Output.rawStandardError(text + ", \(Self.bytes(Int64(rate)))/s")
    }

    /// Returns a readable size.
    static func bytes(_ count: Int64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var value = Double(count)
        var unit = 0
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return unit == 0 ? "\(count) B" : String(format: "%.1f %@", value, units[unit])
    }
}
