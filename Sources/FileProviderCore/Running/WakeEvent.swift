import CLinux
import Foundation
import Synchronization

/// Wakes a thread out of poll(2). Source: eventfd(2).
package final class WakeEvent: Sendable {
    /// Readable while the thread is to look around.
    package let descriptor: Int32
    private let isSet = Atomic(false)

    package init() throws {
        descriptor = carrel_eventfd()
        guard descriptor >= 0 else {
            throw FileError.make(
                .fileReadUnknown, path: "", sentence: "No descriptor is left: \(String(cString: strerror(errno))).")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Wakes the thread; callable from any thread. Costs a system call only if the thread has not been woken yet.
    package func signal() {
        if isSet.exchange(true, ordering: .acquiringAndReleasing) { return }
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Called on the thread, before it handles what it was woken for.
    package func clear() {
        guard isSet.load(ordering: .relaxed) else { return }
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
        // After the read: a thread that signals in between finds the flag set, and its reason is handled now.
        _ = isSet.exchange(false, ordering: .acquiringAndReleasing)
    }
}
