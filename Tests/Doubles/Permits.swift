import FileProviderCore

/// Lets so many in at a time; the others wait for their turn.
package final class Permits: Sendable {
    private let state: LockedValue<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

    package init(_ count: Int) { state = LockedValue((count, [])) }

    package func take() async {
        await withCheckedContinuation { continuation in
            state.update { state in
                if state.free == 0 { return state.waiting.append(continuation) }
                state.free -= 1
                continuation.resume()
            }
        }
    }

    package func giveBack() {
        state.update { state in
            if state.waiting.isEmpty { state.free += 1 } else { state.waiting.removeFirst().resume() }
        }
    }
}
