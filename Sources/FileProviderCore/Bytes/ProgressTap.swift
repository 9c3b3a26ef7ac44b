/// Counts the bytes of a source into a progress; a restart takes back what was counted before.
final class ProgressTap: CopyTap {
    private let progress: ProgressReporter
    /// What this tap has counted: the reporter may count for others, too.
    private let counted = LockedValue(Int64(0))

    init(_ progress: ProgressReporter) { self.progress = progress }

    func restart(at offset: Int64) {
        let before = counted.update { counted in
            defer { counted = offset }
            return counted
        }
        progress.advance(by: offset - before)
    }

    func pass(_ bytes: UnsafeRawBufferPointer) -> FlowState {
        counted.update { $0 += Int64(bytes.count) }
        progress.advance(by: Int64(bytes.count))
        return .ready
    }
}
