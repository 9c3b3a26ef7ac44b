import FileProviderCore
import Foundation
import Synchronization
import Testing

@Suite struct TransportThreadTests {
    @Test func `a thread halts before the handlers of exit that were there before it`() async {
        await #expect(processExitsWith: .success) {
            // What a TLS library does: at exit, when nobody may use it any more.
            _ = atexit { if !halted.load(ordering: .sequentiallyConsistent) { _exit(1) } }
            let woken = DispatchSemaphore(value: 0)
            try TransportThread.start(name: "test", wake: { woken.signal() }) { _ in
                woken.wait()
                usleep(100_000)
                halted.store(TransportThread.isExiting, ordering: .sequentiallyConsistent)
            }
            exit(0)
        }
    }

    @Test func `a thread that has ended is not woken at exit, and one that does not halt does not keep the process`()
        async
    {
        await #expect(processExitsWith: .success) {
            let ended = DispatchSemaphore(value: 0)
            try TransportThread.start(name: "ended", wake: { _exit(1) }) { thread in
                thread.end()
                ended.signal()
            }
            ended.wait()
            try TransportThread.start(name: "stuck", wake: {}) { _ in while true { pause() } }
            exit(0)
        }
    }
}

private let halted = Atomic(false)
