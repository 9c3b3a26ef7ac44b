import FileProviderCore

/// Lets the tasks of a service sleep, and wakes them.
final class Sleepers: Sendable {
    /// The sleepers; each has one task at a time.
    enum Name: Hashable {
        /// The task that begins the runs.
        case work
        /// The task that starts a side's watch.
        case watch(SyncSide)
    }

    private struct Bed {
        var sleep: Task<Void, any Error>?
        /// Whether the sleeper was woken while it wasn't asleep.
        var isWoken = false
    }

    private let beds = LockedValue<[Name: Bed]>([:])

    /// Returns at `time`, when woken (also when that happened since the last sleep), or when the task is cancelled.
    func sleep(_ name: Name, until time: ContinuousClock.Instant) async {
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
    func wake(_ name: Name) {
        beds.update { beds in
            if let sleep = beds[name]?.sleep { return sleep.cancel() }
            beds[name] = Bed(isWoken: true)
        }
    }
}
