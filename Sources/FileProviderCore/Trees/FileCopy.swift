import Foundation

/// Copies one file between any two providers, streaming. The bytes go straight from the reader into a target that
/// accepts them as they arrive (``FileProviderPushWrite``); any other target pulls them, and may resume.
///
/// Before the file is published, the number of bytes that arrived is compared with the source's listing: see
/// ``FileProviderReadWrite/checkArrival(of:listed:)``.
public struct FileCopy: Sendable {
    /// The outcome of a copy.
    public struct Outcome: Sendable {
        /// The written file, as the target reports it.
        public var file: FileObject
        /// Bytes of the whole file.
        public var bytes: Int64

        /// Whether the target saw the file after it was written. If not, only the target's acknowledgement of every
        /// write proves it, as on a server that lets users write files and not see them.
        public var isVerified: Bool { file.size != nil }
    }

    /// The source's provider.
    public let source: any FileProviderReadWrite
    /// The file to copy.
    public let path: ProviderPath
    /// The file as a listing showed it; nil if there was none.
    public var listed: FileObject?
    /// Whether a file whose size differs from its listing is copied too: for servers that generate files while they are
    /// read.
    public var ignoresListedSize = false
    /// Sees the bytes pass, in order.
    public var tap: (any CopyTap)?
    /// Compares the file with its source once it is in place; nil, the default, trusts the size that the target
    /// reports.
    public var verification: (any CopyVerification)?
    /// Converts an error of the source for the caller; errors of the target stay as they are.
    public var sourceError: @Sendable (any Error) -> any Error = { $0 }

    /// Creates a copy of the file at `path` of `source`.
    public init(
        _ path: ProviderPath, of source: any FileProviderReadWrite, listed: FileObject? = nil,
        ignoresListedSize: Bool = false,
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
    /// - Throws: As ``FileProviderReadWrite/writeContents(path:from:options:)`` and
    ///   ``FileProviderReadWrite/checkArrival(of:listed:)``; nothing is published then. Also as
    ///   ``CopyProof/check(_:)``, after the file was published.
    @discardableResult
    public func write(
        to destination: ProviderPath, of target: any FileProviderReadWrite, options: WriteOptions,
        progress: ProgressReporter = ProgressReporter()
    ) async throws -> Outcome {
        try await withReader { try await write($0, to: destination, of: target, options, progress) }
    }

    func write(
        _ reader: any FileReader, to destination: ProviderPath, of target: any FileProviderReadWrite,
        _ options: WriteOptions,
        _ progress: ProgressReporter
    ) async throws -> Outcome {
        guard let verification else { return try await send(reader, to: destination, of: target, options, progress) }
        let proof = try await verification.proof(of: path, source: source, target: target)
        var copy = self
        copy.tap = TapPair.of(tap, proof)
        let outcome = try await copy.send(reader, to: destination, of: target, options, progress)
        try await proof.check(destination)
        return outcome
    }

    private func send(
        _ reader: any FileReader, to destination: ProviderPath, of target: any FileProviderReadWrite,
        _ options: WriteOptions,
        _ progress: ProgressReporter
    ) async throws -> Outcome {
        if options.resumption == nil, let target = target as? any FileProviderPushWrite {
            return try await push(reader, to: destination, of: target, options: options, progress: progress)
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
            path: destination, from: TappedSource(try await reader.writeSource(), tap), options: options,
            progress: progress)
        return Outcome(file: file, bytes: bytes)
    }

    /// Streams the file into `sink`.
    ///
    /// - Throws: As ``write(to:of:options:progress:)``, after the bytes: the caller decides whether to keep them.
    @discardableResult
    public func read(into sink: any ByteSink, progress: ProgressReporter = ProgressReporter()) async throws
        -> FileExtent
    {
        try await withReader { reader in try await stream(reader, into: sink, progress) }
    }

    func withReader<Value: Sendable>(_ body: (any FileReader) async throws -> Value) async throws -> Value {
        let reader: any FileReader
        do { reader = try await source.open(path: path) } catch { throw sourceError(error) }
        return try await reader.closing { try await body(reader) }
    }

    private func push(
        _ reader: any FileReader, to destination: ProviderPath, of target: any FileProviderPushWrite,
        options: WriteOptions,
        progress: ProgressReporter
    ) async throws -> Outcome {
        let bytes = LockedValue<Int64>(0)
        let file = try await target.writeContents(path: destination, options: options) { sink in
            let extent = try await stream(reader, into: sink, progress)
            bytes.update { $0 = extent.count }
            return extent
        }
        return Outcome(file: file, bytes: bytes.value)
    }

    private func stream(_ reader: any FileReader, into sink: any ByteSink, _ progress: ProgressReporter) async throws
        -> FileExtent
    {
        let tapped = TappedSink(sink, tap: tap, progress: progress)
        do {
            let extent = try await reader.streamInRanges(.whole, into: tapped, listedSize: listed?.size)
            guard extent.count == extent.size else {
                throw FileError.endedEarly(path, after: extent.count, of: extent.size)
            }
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
