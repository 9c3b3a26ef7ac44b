import FileProviderCore
import Synchronization

/// Requests that are sent together, and the caller that waits for the replies.
package final class SFTPCall: Sendable {
    private struct State {
        var replies: [SFTPReply?]
        var missing: Int
        var outcome: Result<[SFTPReply], any Error>?
        var waiter: CheckedContinuation<[SFTPReply], any Error>?
        var crowd: SFTPHandleRoom.Crowd?
    }

    private let state: Mutex<State>
    private let close: @Sendable ([SFTPHandle]) -> Void
    private let abandon: @Sendable (SFTPCall) -> Void

    /// - Parameters:
    ///   - close: Called with the handles that arrive after the caller has left.
    ///   - abandon: Called when the caller no longer waits.
    init(
        _ count: Int, close: @escaping @Sendable ([SFTPHandle]) -> Void, abandon: @escaping @Sendable (SFTPCall) -> Void
    ) {
        state = Mutex(
            State(
                replies: Array(repeating: nil, count: count), missing: count, outcome: count == 0 ? .success([]) : nil))
        self.close = close
        self.abandon = abandon
    }

    /// The replies in the order of the requests.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled; the error that ended the session.
    package func value() async throws -> [SFTPReply] {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiter = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            fail(CancellationError())
            abandon(self)
        }
    }

    /// The number of open handles when the first opening of the call was refused; nil if none was.
    package var crowd: SFTPHandleRoom.Crowd? { state.withLock { $0.crowd } }

    /// Handles the reply to the request at `index`.
    ///
    /// - Parameter crowd: The handles beside it, if it is a refused opening.
    func take(_ reply: SFTPReply, at index: Int, beside crowd: SFTPHandleRoom.Crowd? = nil) {
        let (isWanted, waiter, replies) = state.withLock {
            state -> (Bool, CheckedContinuation<[SFTPReply], any Error>?, [SFTPReply]) in
            guard state.outcome == nil else { return (false, nil, []) }
            state.replies[index] = reply
            state.crowd = state.crowd ?? crowd
            state.missing -= 1
            guard state.missing == 0 else { return (true, nil, []) }
            let replies = state.replies.compactMap(\.self)
            state.outcome = .success(replies)
            return (true, state.waiter.take(), replies)
        }
        waiter?.resume(returning: replies)
        if !isWanted, case .handle(let handle) = reply { close([handle]) }
    }

    /// Resumes the waiter with `error`. Later replies are discarded.
    func fail(_ error: any Error) {
        let (waiter, handles) = state.withLock {
            state -> (CheckedContinuation<[SFTPReply], any Error>?, [SFTPHandle]) in
            guard state.outcome == nil else { return (nil, []) }
            state.outcome = .failure(error)
            let handles = state.replies.compactMap { reply in
                if case .handle(let handle) = reply { handle } else { nil }
            }
            return (state.waiter.take(), handles)
        }
        if !handles.isEmpty { close(handles) }
        waiter?.resume(throwing: error)
    }
}
