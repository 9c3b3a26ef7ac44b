import FileProviderCore
import Foundation
import Synchronization

/// Sends given bytes, gathers what comes, and tells how the channel ended.
final class ScriptedUser: ByteChannelUser {
    private struct State {
        var toSend: [UInt8]
        var sent = 0
        var received: [UInt8] = []
        var isWaiting: Bool
        var takes: Bool
        var end: (any Error)?
        var waiters: [CheckedContinuation<any Error, Never>] = []
        var endings = 0
    }

    private let state: Mutex<State>
    private let wanted: Int
    private let whenAll: @Sendable (ScriptedUser) -> Void
    nonisolated(unsafe) private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    nonisolated(unsafe) private let outgoing: UnsafeMutableRawBufferPointer

    /// - Parameter whenAll: Called once `wanted` bytes have come.
    init(
        sending bytes: [UInt8] = [], wanted: Int = .max, isWaiting: Bool = true, takes: Bool = true,
        whenAll: @escaping @Sendable (ScriptedUser) -> Void = { _ in }
    ) {
        state = Mutex(State(toSend: bytes, isWaiting: isWaiting, takes: takes))
        self.wanted = wanted
        self.whenAll = whenAll
        outgoing = .allocate(byteCount: bytes.count, alignment: 16)
        outgoing.copyBytes(from: bytes)
    }

    deinit {
        room.deallocate()
        outgoing.deallocate()
    }

    var received: [UInt8] { state.withLock { $0.received } }
    var sentCount: Int { state.withLock { $0.sent } }
    /// How often the end was told.
    var endings: Int { state.withLock { $0.endings } }

    func take() { state.withLock { $0.takes = true } }

    /// Waits for the end of the channel.
    var end: any Error {
        get async {
            await withCheckedContinuation { continuation in
                let end = state.withLock { state in
                    if state.end == nil { state.waiters.append(continuation) }
                    return state.end
                }
                if let end { continuation.resume(returning: end) }
            }
        }
    }

    func roomToReceive() -> UnsafeMutableRawBufferPointer {
        state.withLock { $0.takes } ? room : UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    func received(_ count: Int) {
        let all = state.withLock { state in
            state.received += room[..<count]
            return state.received.count
        }
        if all >= wanted { whenAll(self) }
    }

    func bytesToSend() -> UnsafeRawBufferPointer {
        let sent = state.withLock { $0.sent }
        return UnsafeRawBufferPointer(rebasing: outgoing[sent...])
    }

    func sent(_ count: Int) { state.withLock { $0.sent += count } }

    var isWaiting: Bool { state.withLock { $0.isWaiting } }

    func ended(with error: any Error) {
        let waiters = state.withLock { state in
            state.end = error
            state.endings += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: error) }
    }
}
