public import Foundation
import Synchronization

/// A bounded queue of bytes between two sides that each run at their own pace. Every back-pressure in Carrel goes
/// through it.
///
/// Either side may be a thread (as ``ByteSink`` or ``ByteSource``) or a task (`send`, `next`). The pipe holds at most
/// `capacity` bytes and one more piece.
public final class BytePipe: ByteSink {
    fileprivate struct State: Sendable {
        var pieces: [Data] = []
        var first = 0
        var held = 0
        var ending: Result<Void, any Error>?
        var isAbandoned = false
        var reader: (@Sendable () -> Void)?
        var writer: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: Bytes to hold before the writing side has to wait; 1 or more.
    public init(capacity: Int = 1 << 20) {
        self.capacity = capacity
    }

    // MARK: The writing side

    /// Copies the bytes in.
    ///
    /// - Returns: `.wait` once the pipe is full.
    /// - Throws: `CancellationError` when the reading side has gone.
    public func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState { try put(Data(bytes)) }

    private func put(_ piece: Data) throws -> FlowState {
        let (flow, reader) = try state.withLock { state in
            if state.isAbandoned { throw CancellationError() }
            if !piece.isEmpty { state.pieces.append(piece) }
            state.held += piece.count
            return (state.held >= capacity ? FlowState.wait : .ready, state.reader.take())
        }
        reader?()
        return flow
    }

    /// Calls `resume` once the reading side has made room.
    public func whenReady(_ resume: @escaping @Sendable () -> Void) { whenWritable(resume) }

    private func whenWritable(_ resume: @escaping @Sendable () -> Void) {
        let isReady = state.withLock { state in
            if state.held < capacity || state.isAbandoned { return true }
            state.writer = resume
            return false
        }
        if isReady { resume() }
    }

    /// Adds `piece`, and suspends while the pipe is full.
    ///
    /// - Throws: `CancellationError` when the reading side has gone.
    public func send(_ piece: Data) async throws {
        guard try put(piece) == .wait else { return }
        await withCheckedContinuation { continuation in whenWritable { continuation.resume() } }
    }

    /// Ends the bytes. The reading side gets the bytes that the pipe holds, then `error` if there is one. Only the
    /// first call counts.
    public func finish(throwing error: (any Error)? = nil) {
        let reader = state.withLock { state in
            if state.ending == nil { state.ending = error.map { .failure($0) } ?? .success(()) }
            return state.reader.take()
        }
        reader?()
    }

    /// Starts a task that writes what `fill` gives, and ends the bytes when `fill` returns or throws.
    package func filling(by fill: @escaping @Sendable (BytePipe) async throws -> Void) -> Task<Void, Never> {
        Task {
            do {
                try await fill(self)
                finish()
            } catch {
                finish(throwing: error)
            }
        }
    }

    // MARK: The reading side

    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
        let (step, writer): (SourceStep, (@Sendable () -> Void)?) = try state.withLock { state in
            guard state.first < state.pieces.count else {
                guard let ending = state.ending else { return (.wait, nil) }
                try ending.get()
                return (.end, nil)
            }
            let piece = state.pieces[state.first]
            let count = min(piece.count, buffer.count)
            piece.copyBytes(to: buffer, count: count)
            if count == piece.count { state.dropFirst() } else { state.pieces[state.first] = piece.dropFirst(count) }
            return (.bytes(count), state.took(count, capacity: capacity))
        }
        writer?()
        return step
    }

    /// The reading side as a ``ByteSource``; the pipe itself answers ``ByteSink/whenReady(_:)`` for the writing side.
    public var source: any ByteSource { Source(pipe: self) }

    /// Returns the next piece; nil at the end.
    ///
    /// - Throws: The error that the writing side ended with; `CancellationError` when this task is cancelled, which
    ///   also stops
    ///   that side.
    public func next() async throws -> Data? {
        while true {
            let (piece, writer): (Data?, (@Sendable () -> Void)?) = state.withLock { state in
                guard state.first < state.pieces.count else { return (nil, nil) }
                let piece = state.pieces[state.first]
                state.dropFirst()
                return (piece, state.took(piece.count, capacity: capacity))
            }
            writer?()
            if let piece { return piece }
            if let ending = state.withLock({ $0.ending }) {
                if state.withLock({ $0.first < $0.pieces.count }) { continue }
                try ending.get()
                return nil
            }
            try await waitForBytes()
        }
    }

    private func waitForBytes() async throws {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in whenReadable { continuation.resume() } }
        } onCancel: {
            abandon()
        }
        try Task.checkCancellation()
    }

    /// Ends the reading side: the writing side's next bytes are refused with `CancellationError`.
    public func abandon() {
        let (writer, reader) = state.withLock { state in
            state.isAbandoned = true
            state.pieces = []
            state.first = 0
            state.held = 0
            if state.ending == nil { state.ending = .failure(CancellationError()) }
            return (state.writer.take(), state.reader.take())
        }
        writer?()
        reader?()
    }

    fileprivate func whenReadable(_ resume: @escaping @Sendable () -> Void) {
        let isReady = state.withLock { state in
            if state.first < state.pieces.count || state.ending != nil { return true }
            state.reader = resume
            return false
        }
        if isReady { resume() }
    }

    private final class Source: ByteSource {
        private let pipe: BytePipe

        init(pipe: BytePipe) {
            self.pipe = pipe
        }

        deinit {
            pipe.abandon()
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep { try pipe.read(into: buffer) }

        func whenReady(_ resume: @escaping @Sendable () -> Void) { pipe.whenReadable(resume) }
    }
}

extension BytePipe.State {
    fileprivate mutating func dropFirst() {
        // Its memory goes now; the place in the array goes when there are more of them.
        pieces[first] = Data()
        first += 1
        if first == pieces.count || first > 64 {
            pieces.removeFirst(first)
            first = 0
        }
    }

    /// Subtracts `bytes` from the count; returns the writing side's callback when it may continue.
    fileprivate mutating func took(_ bytes: Int, capacity: Int) -> (@Sendable () -> Void)? {
        held -= bytes
        return held <= capacity / 2 ? writer.take() : nil
    }
}
