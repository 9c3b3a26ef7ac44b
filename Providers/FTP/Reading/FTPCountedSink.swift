import FileProviderCore
import Foundation

/// Passes bytes on and knows how many; more than once it may be the sink of a transfer that goes on.
final class FTPCountedSink: ByteSink {
    private let base: any ByteSink
    private let limit: Int64
    private let tooMuch: CocoaError
    private let state = Locked((count: Int64(0), refusal: (any Error)?.none))

    /// - Parameter tooMuch: What is wrong when more than `limit` bytes come.
    init(_ base: any ByteSink, limit: Int64, tooMuch: CocoaError) {
        self.base = base
        self.limit = limit
        self.tooMuch = tooMuch
    }

    var count: Int64 { state.value.count }
    var isComplete: Bool { count == limit && refusal == nil }
    /// Why the sink took no more.
    var refusal: (any Error)? { state.value.refusal }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        do {
            if count + Int64(bytes.count) > limit { throw tooMuch }
            let flow = try base.write(bytes)
            state.update { $0.count += Int64(bytes.count) }
            return flow
        } catch {
            state.update { $0.refusal = error }
            throw error
        }
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
}
