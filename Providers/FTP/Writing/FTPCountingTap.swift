import FileProviderCore

/// Knows how many bytes a source had once its end was seen.
final class FTPCountingTap: CopyTap {
    private let state = LockedValue((count: Int64(0), hasEnded: false))

    /// Bytes from the last offset to the end; nil before that was seen.
    var counted: Int64? { state.value.hasEnded ? state.value.count : nil }

    func restart(at offset: Int64) { state.update { $0 = (0, false) } }

    func pass(_ bytes: UnsafeRawBufferPointer) -> FlowState {
        state.update { $0.count += Int64(bytes.count) }
        return .ready
    }

    func finish() { state.update { $0.hasEnded = true } }
}
