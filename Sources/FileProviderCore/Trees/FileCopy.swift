package import Foundation

/// Copies one file between any two providers, streaming. The bytes go from the reader straight into the target where it takes them as they
/// come (``FileProviderPushWrite``); elsewhere the target pulls them, and may resume.
///
/// Before anything is published, the number of bytes that arrived is compared with what the source's listing said: see
/// ``FileProviderReadWrite/checkArrival(of:listed:)``.
public struct FileCopy: Sendable {
    /// What a copy wrote.
    public struct Outcome: Sendable {
        /// The file written, as the target reports it.
        public var file: FileObject
        /// Bytes of the whole file.
        public var bytes: Int64

        /// Whether the target saw the file after it was written. If not, its acknowledgement of every write is the only proof, as on a
        /// server that lets users put files and not look at them.
        public var isVerified: Bool { file.size != nil }
    }

    /// The source's provider.
    public let source: any FileProviderReadWrite
    /// The file to copy.
    public let path: ProviderPath
    /// The file as a listing showed it; nil if nobody looked.
    public var listed: FileObject?
    /// Whether a file of another size than the listing said is copied too: for servers that make files as they are read.
    public var ignoresListedSize = false
    /// Sees the bytes pass, in order.
    public var tap: (any CopyTap)?
    /// What an error of the source is to the caller; errors of the target stay as they are.
    public var sourceError: @Sendable (any Error) -> any Error = { $0 }

    /// A copy of the file at `path` of `source`.
    public init(
        _ path: ProviderPath, of source: any FileProviderReadWrite, listed: FileObject? = nil, ignoresListedSize: Bool = false,
        tap: (any CopyTap)? = nil
    ) {
        self.source = source
        self.path = path
        self.listed = listed
        self.ignoresListedSize = ignoresListedSize
        self.tap = tap
    }

    /// Copies the file to `destination`.
    ///
    /// - Throws: As ``FileProviderReadWrite/writeContents(path:from:options:)`` and ``FileProviderReadWrite/checkArrival(of:listed:)``.
    ///   Nothing is published then.
    @discardableResult
    public func write(
        to destination: ProviderPath, of target: any FileProviderReadWrite, options: WriteOptions,
        progress: ProgressReporter = ProgressReporter()
    ) async throws -> Outcome {
        try await withReader { try await write($0, to: destination, of: target, options, progress) }
    }

    func write(
        _ reader: any FileReader, to destination: ProviderPath, of target: any FileProviderReadWrite, _ options: WriteOptions,
        _ progress: ProgressReporter
    ) async throws -> Outcome {
        if options.resumption == nil, let target = target as? any FileProviderPushWrite {
            return try await push(reader, to: destination, of: target, options, progress)
        }
        let bytes: Int64
        do {
            try await check(reader)
            bytes = try await reader.attributes().size
        } catch {
            throw sourceError(error)
        }
        try tap?.begin(FileExtent(offset: 0, count: bytes, size: bytes))
        let file = try await target.writeContents(
            path: destination, from: TappedSource(try await reader.writeSource(), tap), options: options, progress: progress)
        return Outcome(file: file, bytes: bytes)
    }

    /// Streams the file into `sink`.
    ///
    /// - Throws: As ``write(to:of:options:progress:)``, after the bytes: the caller decides what becomes of them.
    @discardableResult
    public func read(into sink: any ByteSink, progress: ProgressReporter = ProgressReporter()) async throws -> FileExtent {
        try await withReader { reader in try await stream(reader, into: sink, progress) }
    }

    func withReader<Value: Sendable>(_ body: (any FileReader) async throws -> Value) async throws -> Value {
        let reader: any FileReader
        do { reader = try await source.open(path: path) } catch { throw sourceError(error) }
        return try await reader.closing { try await body(reader) }
    }

    private func push(
        _ reader: any FileReader, to destination: ProviderPath, of target: any FileProviderPushWrite, _ options: WriteOptions,
        _ progress: ProgressReporter
    ) async throws -> Outcome {
        let bytes = Locked<Int64>(0)
        let file = try await target.writeContents(path: destination, options: options) { sink in
            let extent = try await stream(reader, into: sink, progress)
            bytes.update { $0 = extent.count }
            return extent
        }
        return Outcome(file: file, bytes: bytes.value)
    }

    private func stream(_ reader: any FileReader, into sink: any ByteSink, _ progress: ProgressReporter) async throws -> FileExtent {
        let tapped = TappedSink(sink, tap, progress)
        do {
            let extent = try await reader.stream(.whole, into: tapped)
            guard extent.count == extent.size else { throw FileError.endedEarly(path, after: extent.count, of: extent.size) }
            try await check(reader)
            try tapped.finish()
            return extent
        } catch {
            throw tapped.failure ?? sourceError(error)
        }
    }

    private func check(_ reader: any FileReader) async throws {
        if !ignoresListedSize { try await source.checkArrival(of: reader, listed: listed) }
    }
}

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
