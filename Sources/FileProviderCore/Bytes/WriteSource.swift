public import Foundation

/// What is to be written: bytes that a provider pulls, from an offset, as often as ``isRepeatable`` allows.
public protocol WriteSource: Sendable {
    /// Bytes in all; nil where only the end will tell.
    var length: Int64? { get }
    /// Whether ``bytes(from:)`` may be called again: after a redirect, a digest challenge or a lost connection.
    var isRepeatable: Bool { get }
    /// The bytes from `offset` on.
    ///
    /// - Throws: An error of the source; a one-shot source throws on its second call.
    func bytes(from offset: Int64) throws -> any ByteSource
    /// The bytes in `range`, at most a few hundred KiB: what a part that an earlier write left is compared with.
    ///
    /// - Throws: As ``bytes(from:)``.
    func bytes(in range: Range<Int64>) async throws -> Data
}

extension WriteSource {
    /// The default begins to read at the start of `range`, and stops at its end.
    public func bytes(in range: Range<Int64>) async throws -> Data {
        try await bytes(from: range.lowerBound).bytes(upTo: range.count)
    }
}

/// Bytes in memory as a source.
public struct DataSource: WriteSource {
    private let data: Data

    /// Holds `data` as long as the source lives.
    public init(_ data: Data) {
        self.data = data
    }

    /// Always known.
    public var length: Int64? { Int64(data.count) }
    /// Always.
    public var isRepeatable: Bool { true }
    /// Nothing past the end.
    public func bytes(from offset: Int64) throws -> any ByteSource { Bytes(data.dropFirst(Int(clamping: offset))) }

    private final class Bytes: ByteSource, @unchecked Sendable {
        // Unchecked: a source is called by one side, one call after the other.
        private var rest: Data

        init(_ data: Data) {
            rest = data
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
            if rest.isEmpty { return .end }
            let count = min(rest.count, buffer.count)
            rest.copyBytes(to: buffer, count: count)
            rest = rest.dropFirst(count)
            return .bytes(count)
        }
    }
}

/// Bytes that a sequence of pieces makes, once.
public struct SequenceSource<Pieces: AsyncSequence & Sendable>: WriteSource where Pieces.Element == Data {
    private let pieces: Pieces
    private let isTaken = LockedValue(false)
    /// Bytes, as its maker said; nil where that is not known before the end.
    public let length: Int64?

    /// - Parameter length: Bytes in all, where they are known; a different number fails the write.
    public init(_ pieces: Pieces, length: Int64? = nil) {
        self.pieces = pieces
        self.length = length
    }

    /// Never: a sequence is gone through once.
    public var isRepeatable: Bool { false }

    /// - Throws: A sentence that says so when the bytes were taken before, or not from their start.
    public func bytes(from offset: Int64) throws -> any ByteSource {
        let wasTaken = isTaken.update { isTaken in
            defer { isTaken = true }
            return isTaken
        }
        guard offset == 0, !wasTaken else { throw FileError.notRepeatable() }
        return PumpedSource { pipe in
            for try await piece in pieces { try await pipe.send(piece) }
        }
    }
}

/// Another provider's file as a source: streamed through this machine, never held.
public struct ReaderSource: WriteSource {
    private let reader: any FileReader
    /// Bytes of the file at the time of opening.
    public let length: Int64?

    /// - Parameter length: The file's bytes, as ``FileReader/attributes()`` gives them.
    public init(_ reader: any FileReader, length: Int64) {
        self.reader = reader
        self.length = length
    }

    /// Always: the file is read anew.
    public var isRepeatable: Bool { true }

    /// Reads on from `offset`, through a bounded pipe; a large file in several ranges at once where that is faster.
    public func bytes(from offset: Int64) throws -> any ByteSource {
        PumpedSource { [reader, length] pipe in
            _ = try await reader.streamInRanges(.from(offset), into: pipe, listedSize: length)
        }
    }

    /// One range of the file.
    public func bytes(in range: Range<Int64>) async throws -> Data { try await reader.read(range) }
}

/// A source that a task fills through a pipe; letting go of it stops the task.
final class PumpedSource: ByteSource {
    private let source: any ByteSource
    private let task: Task<Void, Never>

    init(_ fill: @escaping @Sendable (BytePipe) async throws -> Void) {
        let pipe = BytePipe()
        source = pipe.source
        task = pipe.filling(by: fill)
    }

    deinit {
        task.cancel()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep { try source.read(into: buffer) }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { source.whenReady(resume) }
}
