import FileProviderCore

/// Lets the tasks of a service sleep, and wakes them. Each sleeper has a name and is one task at a time.
package final class Sleepers<Name: Hashable & Sendable>: Sendable {
    private struct Bed {
        var sleep: Task<Void, any Error>?
        /// Whether the sleeper was woken while it wasn't asleep.
        var isWoken = false
    }

    private let beds = LockedValue<[Name: Bed]>([:])

    package init() {}

    /// Returns at `time`, when woken (also when that happened since the last sleep), or when the task is cancelled.
    package func sleep(_ name: Name, until time: ContinuousClock.Instant) async {
        let sleep = Task { try await Task.sleep(until: time, clock: .continuous) }
        let isWoken = beds.update { beds in
            let isWoken = beds[name]?.isWoken ?? false
            beds[name] = Bed(sleep: isWoken ? nil : sleep)
            return isWoken
        }
        if isWoken { sleep.cancel() }
        await withTaskCancellationHandler {
            _ = await sleep.result
        } onCancel: {
            sleep.cancel()
        }
        beds.update { $0[name]?.sleep = nil }
    }

    /// Ends the sleep under way, or else the next one.
    package func wake(_ name: Name) {
        beds.update { beds in
            if let sleep = beds[name]?.sleep { return sleep.cancel() }
            beds[name] = Bed(isWoken: true)
        }
    }
}
