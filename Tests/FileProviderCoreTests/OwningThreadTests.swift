import FileProviderCore
import Foundation
import Testing

#if DEBUG
    @Suite struct OwningThreadTests {
        private final class OwnedObject: Sendable {
            let thread = OwningThread()

            /// Enters twice on another thread.
            func enterElsewhere() {
                let isDone = DispatchSemaphore(value: 0)
                Thread.detachNewThread { [self] in
                    for _ in 0..<2 { thread.assertIsCurrent() }
                    isDone.signal()
                }
                isDone.wait()
            }
        }

        @Test func `the first thread that enters is the owner, wherever it was made`() async {
            await #expect(processExitsWith: .success) { OwnedObject().enterElsewhere() }
        }

        @Test func `a debug build ends where another thread enters`() async {
            await #expect(processExitsWith: .failure) {
                let owned = OwnedObject()
                owned.thread.assertIsCurrent()
                owned.enterElsewhere()
            }
        }
    }
#endif
