import FileProviderCore

/// Passes on a source's bytes, and knows how many there were once the end was seen.
final class FTPWatchedSource: WriteSource {
    private let base: any WriteSource
    private let state = Locked<(count: Int64, hasEnded: Bool)>((0, false))

    init(_ base: any WriteSource) { self.base = base }

    /// Bytes from the last offset to the end; nil before that was seen.
    var counted: Int64? { state.value.hasEnded ? state.value.count : nil }

    var length: Int64? { base.length }
    var isRepeatable: Bool { base.isRepeatable }

    func bytes(from offset: Int64) throws -> any ByteSource {
        state.update { $0 = (0, false) }
        return Bytes(base: try base.bytes(from: offset), state: state)
    }

    private final class Bytes: ByteSource {
        private let base: any ByteSource
        private let state: Locked<(count: Int64, hasEnded: Bool)>

        init(base: any ByteSource, state: Locked<(count: Int64, hasEnded: Bool)>) {
            self.base = base
            self.state = state
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
            let step = try base.read(into: buffer)
            switch step {
            case .bytes(let count): state.update { $0.count += Int64(count) }
            case .end: state.update { $0.hasEnded = true }
            case .wait: break
            }
            return step
        }

        func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
    }
}
