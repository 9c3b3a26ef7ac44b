import Foundation
import Synchronization

/// Checks in debug builds that what belongs to one thread is used on no other: a type that says so has one and asks it
/// where it is entered.
///
/// The thread that asks first is the owner. A release build has nothing of it.
package struct OwningThread: ~Copyable, Sendable {
    #if DEBUG
        private let owner = Atomic<UInt>(0)
    #endif

    package init() {}

    /// Ends a debug build that is on another thread than before.
    package borrowing func assertIsCurrent(file: StaticString = #fileID, line: UInt = #line) {
        #if DEBUG
            let current = UInt(pthread_self())
            let first = owner.compareExchange(expected: 0, desired: current, ordering: .relaxed).original
            assert(first == 0 || first == current, "This belongs to another thread.", file: file, line: line)
        #endif
    }
}
