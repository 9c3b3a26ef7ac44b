#if THREAD_SANITIZER
    import Foundation

    /// Replaces `Synchronization.Mutex`, in this module and in those that name it so, under the thread sanitizer.
    ///
    /// On Linux the kernel hands over a contended `Mutex` (futex(2), `FUTEX_LOCK_PI`), which the sanitizer cannot see:
    /// it would report false races. It understands this one.
    package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // Unchecked: `value` is reached only under `lock`.
        private let lock = NSLock()
        private let value: UnsafeMutablePointer<Value>

        package init(_ value: consuming sending Value) {
            self.value = .allocate(capacity: 1)
            self.value.initialize(to: value)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
        }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            lock.lock()
            defer { lock.unlock() }
            return try body(&value.pointee)
        }
    }
#endif
