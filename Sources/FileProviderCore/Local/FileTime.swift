package import CLinux
package import Foundation

extension FileDescriptor {
    /// Sets the modification time, and the time of the last access too. Source: futimens(2).
    ///
    /// - Returns: 0, or −1 and errno.
    package func setModified(_ time: timespec) -> Int32 {
        withUnsafeTemporaryAllocation(of: timespec.self, capacity: 2) { times in
            times.initialize(repeating: time)
            return futimens(raw, times.baseAddress)
        }
    }
}

extension Date {
    /// The time as the kernel takes it, clamped to the times that it can express.
    package var fileTime: timespec {
        let time = timeIntervalSince1970
        let seconds = time.rounded(.down)
        let nanoseconds = Int(exactly: ((time - seconds) * 1e9).rounded(.down)) ?? 0
        return timespec(
            tv_sec: Int(exactly: seconds) ?? (seconds < 0 ? .min : .max), tv_nsec: min(nanoseconds, 999_999_999))
    }
}
