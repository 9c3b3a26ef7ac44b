package import Foundation

/// Sees the bytes of a copy as they pass, and may slow them down. Its calls come one after the other, on a transport's thread.
public protocol CopyTap: Sendable {
    /// The most bytes to pass at once; for sources that are pulled.
    var mostAtOnce: Int { get }
    /// Whether bytes may pass now; for sources that are pulled.
    var isOpen: Bool { get }

    /// Called before the first byte, with what is about to be read.
    ///
    /// - Throws: What ends the copy.
    func begin(_ extent: FileExtent) throws

    /// Called when the bytes from `offset` on are about to pass, again if the target asks for them again.
    func restart(at offset: Int64)

    /// Called after the target took `bytes`.
    ///
    /// - Returns: `.wait` if no more may pass before ``whenReady(_:)`` calls back.
    /// - Throws: What ends the copy.
    func pass(_ bytes: UnsafeRawBufferPointer) throws -> FlowState

    /// Calls `resume` once when bytes may pass.
    func whenReady(_ resume: @escaping @Sendable () -> Void)

    /// Called after the last byte, before the file is published.
    ///
    /// - Throws: What keeps the file from being published.
    func finish() throws
}

extension CopyTap {
    /// The default sets no limit.
    public var mostAtOnce: Int { .max }
    /// The default is always open.
    public var isOpen: Bool { true }
    /// The default looks at nothing.
    public func begin(_ extent: FileExtent) throws {}
    /// The default forgets nothing.
    public func restart(at offset: Int64) {}
    /// The default calls back at once.
    public func whenReady(_ resume: @escaping @Sendable () -> Void) { resume() }
    /// The default agrees.
    public func finish() throws {}
}

/// Passes bytes on to a sink, shows them to a tap and counts them into a progress.
final class TappedSink: ByteSink {
    private let base: any ByteSink
    private let tap: (any CopyTap)?
    private let progress: ProgressReporter
    private let failed = Locked<(any Error)?>(nil)

    init(_ base: any ByteSink, _ tap: (any CopyTap)?, _ progress: ProgressReporter) {
        self.base = base
        self.tap = tap
        self.progress = progress
    }

    /// What the sink below or the tap threw: a transport may pass it on in its own words.
    var failure: (any Error)? { failed.value }

    func begin(_ extent: FileExtent) throws {
        progress.expect(extent.count < 0 ? nil : extent.count)
        try noting {
            try tap?.begin(extent)
            try base.begin(extent)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        try noting {
            let flow = try base.write(bytes)
            progress.advance(by: Int64(bytes.count))
            return try tap?.pass(bytes) == .wait ? .wait : flow
        }
    }

    func finish() throws { try noting { try tap?.finish() } }

    private func noting<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            failed.update { $0 = error }
            throw error
        }
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) {
        guard let tap else { return base.whenReady(resume) }
        tap.whenReady { [base] in base.whenReady(resume) }
    }
}

/// Shows the bytes of a source to a tap.
package struct TappedSource: WriteSource {
    private let base: any WriteSource
    private let tap: (any CopyTap)?

    package init(_ base: any WriteSource, _ tap: (any CopyTap)?) {
        self.base = base
        self.tap = tap
    }

    package var length: Int64? { base.length }
    package var isRepeatable: Bool { base.isRepeatable }

    package func bytes(from offset: Int64) throws -> any ByteSource {
        guard let tap else { return try base.bytes(from: offset) }
        tap.restart(at: offset)
        return Bytes(base: try base.bytes(from: offset), tap: tap)
    }

    package func bytes(in range: Range<Int64>) async throws -> Data { try await base.bytes(in: range) }

    private final class Bytes: ByteSource {
        private let base: any ByteSource
        private let tap: any CopyTap

        init(base: any ByteSource, tap: any CopyTap) {
            self.base = base
            self.tap = tap
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
            guard tap.isOpen else { return .wait }
            let step = try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, tap.mostAtOnce)]))
            switch step {
            case .bytes(let count): _ = try tap.pass(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            case .end: try tap.finish()
            case .wait: break
            }
            return step
        }

        func whenReady(_ resume: @escaping @Sendable () -> Void) { tap.whenReady { [base] in base.whenReady(resume) } }
    }
}
