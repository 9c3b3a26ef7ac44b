import FileProviderCore

/// Combines the progress of several equal steps into one that never goes back.
struct SharedProgress {
    private let onProgress: DriverProgress
    private let highest = LockedValue(-1.0)
    private let steps: Double
    private var done = 0.0

    init(_ onProgress: @escaping DriverProgress, steps: Int) {
        self.onProgress = onProgress
        self.steps = Double(max(1, steps))
    }

    /// Returns the receiver for the progress of the next step, from 0 to 1.
    mutating func next() -> DriverProgress {
        let start = done
        done += 1
        return { [onProgress, highest, steps] fraction in
            let whole = (start + min(1, max(0, fraction))) / steps
            let isHigher = highest.update { highest in
                defer { highest = max(highest, whole) }
                return whole > highest
            }
            if isHigher { onProgress(whole) }
        }
    }
}
