package import Foundation

extension FileDescriptor {
    /// Sets the modification time, and that of the last access with it. Source: futimens(2).
    ///
    /// - Returns: 0, or −1 and errno.
    package func setModified(_ time: timespec) -> Int32 {
        withUnsafeTemporaryAllocation(of: timespec.self, capacity: 2) { times in
            times.initialize(repeating: time)
            return futimens(raw, times.baseAddress)
        }
    }
}

extension timespec {
    /// A time as the kernel takes it; one that it cannot say becomes the first or last that it can.
    package init(_ date: Date) {
        let time = date.timeIntervalSince1970
        let seconds = time.rounded(.down)
        let nanoseconds = Int(exactly: ((time - seconds) * 1e9).rounded(.down)) ?? 0
        self.init(tv_sec: Int(exactly: seconds) ?? (seconds < 0 ? .min : .max), tv_nsec: min(nanoseconds, 999_999_999))
    }
}
