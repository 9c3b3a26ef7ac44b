import Foundation
import Synchronization

/// Checks in debug builds that a value is used on one thread only. A type that needs this holds one and calls it at its
/// entry points.
///
/// The first thread to call it is the owner. It does nothing in a release build.
package struct OwningThread: ~Copyable, Sendable {
    #if DEBUG
        private let owner = Atomic<UInt>(0)
    #endif

    package init() {}

    /// Stops a debug build that runs on another thread than the owner.
    package borrowing func assertIsCurrent(file: StaticString = #fileID, line: UInt = #line) {
        #if DEBUG
            let current = UInt(pthread_self())
            let first = owner.compareExchange(expected: 0, desired: current, ordering: .relaxed).original
            assert(first == 0 || first == current, "This belongs to another thread.", file: file, line: line)
        #endif
    }
}
