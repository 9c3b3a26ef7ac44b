import Archives
import FileProviderCore
import Foundation
import Synchronization

/// Writes the bytes of a run of blocks from the medium into the cache's file, and announces each complete block.
final class BlockWriter: ByteSink {
    /// The most room that is made at a time, 16 MiB, so that a resource with a false length doesn't evict others.
    private static let step: Int64 = 16 << 20

    private struct State {
        var offset: Int64
        /// The offset up to which room was made.
        var reserved: Int64
        var checksum = CRC32()
        var failure: StorageFailure?
        var hasOtherSize = false
    }

    private let fetch: BlockFetch
    private let cache: ResourceCache
    private let end: Int64
    private let state: Mutex<State>

    /// Call ``reserve()`` before writing.
    init(_ fetch: BlockFetch, cache: ResourceCache) {
        self.fetch = fetch
        self.cache = cache
        let header = fetch.file.header
        end = header.extent(of: fetch.blocks.upperBound - 1).upperBound
        let start = header.extent(of: fetch.blocks.lowerBound).lowerBound
        state = Mutex(State(offset: start, reserved: start))
    }

    /// The bytes to request.
    var range: Range<Int64> { fetch.file.header.extent(of: fetch.blocks.lowerBound).lowerBound..<end }

    /// The error with which the file refused the bytes.
    var failure: StorageFailure? { state.withLock { $0.failure } }

    /// Whether the medium reported another size of the resource; no bytes were accepted then.
    var hasOtherSize: Bool { state.withLock { $0.hasOtherSize } }

    /// Whether all bytes have arrived.
    var isDone: Bool { state.withLock { $0.offset == end } }

    func begin(_ extent: FileExtent) throws {
        guard extent.size >= 0, extent.size != fetch.file.header.length else { return }
        state.withLock { $0.hasOtherSize = true }
        throw CancellationError()
    }

    /// Makes room for the next bytes, if there is none left.
    ///
    /// - Throws: ``StorageFailure``, which is also remembered.
    func reserve() async throws {
        let (reserved, goal) = state.withLock { state in
            (state.reserved, state.offset < state.reserved ? state.reserved : min(end, state.offset + Self.step))
        }
        guard goal > reserved else { return }
        do {
            try await cache.makeRoom(for: goal - reserved)
        } catch let failure as StorageFailure {
            state.withLock { $0.failure = failure }
            throw failure
        }
        state.withLock { $0.reserved = goal }
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) {
        Task {
            // The next write throws the failure.
            try? await reserve()
            resume()
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        if let failure { throw failure }
        do {
            // Calls are sequential, and other users hold the lock only briefly.
            for block in try state.withLock({ try take(bytes, &$0) }) { fetch.arrived(block) }
        } catch let failure as StorageFailure {
            state.withLock { $0.failure = failure }
            throw failure
        }
        return state.withLock { $0.offset < $0.reserved || $0.offset == end } ? .ready : .wait
    }

    /// - Returns: The blocks that are complete now.
    private func take(_ bytes: UnsafeRawBufferPointer, _ state: inout State) throws -> [Int] {
        let file = fetch.file
        var rest = bytes
        var done: [Int] = []
        while !rest.isEmpty, state.offset < end {
            let block = Int(state.offset / file.header.block)
            let blockEnd = file.header.extent(of: block).upperBound
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(clamping: blockEnd - state.offset)))
            try file.write(piece, at: state.offset)
            state.checksum.update(piece)
            state.offset += Int64(piece.count)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
            guard state.offset == blockEnd else { continue }
            file.add(block, checksum: state.checksum.value)
            state.checksum = CRC32()
            done.append(block)
        }
        return done
    }
}
