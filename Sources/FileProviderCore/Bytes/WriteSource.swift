public import Foundation

/// The bytes to write. A provider reads them from an offset; if ``isRepeatable`` is true, it may read them more than
/// once.
public protocol WriteSource: Sendable {
    /// The number of bytes; nil if it is unknown before the end.
    var length: Int64? { get }
    /// Whether ``bytes(from:)`` may be called again: after a redirect, a digest challenge or a lost connection.
    var isRepeatable: Bool { get }
    /// Returns the bytes from `offset` on.
    ///
    /// - Throws: An error of the source; a one-shot source throws on its second call.
    func bytes(from offset: Int64) throws -> any ByteSource
    /// Returns the bytes in `range`, at most a few hundred KiB, to compare with the part that an earlier write left.
    ///
    /// - Throws: As ``bytes(from:)``.
    func bytes(in range: Range<Int64>) async throws -> Data
}

extension WriteSource {
    /// The default starts reading at the start of `range`, and stops at its end.
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

/// The bytes of a sequence of pieces, readable once.
public struct SequenceSource<Pieces: AsyncSequence & Sendable>: WriteSource where Pieces.Element == Data {
    private let pieces: Pieces
    private let isTaken = LockedValue(false)
    /// The number of bytes that the initializer was given; nil if unknown.
    public let length: Int64?

    /// - Parameter length: Bytes in all, if known; a different number fails the write.
    public init(_ pieces: Pieces, length: Int64? = nil) {
        self.pieces = pieces
        self.length = length
    }

    /// False: a sequence can be iterated once.
    public var isRepeatable: Bool { false }

    /// - Throws: An error if the bytes were read before, or `offset` isn't 0.
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

    /// True: the file is read again.
    public var isRepeatable: Bool { true }

    /// Reads on from `offset`, through a bounded pipe; a large file in several ranges at once if that is faster.
    public func bytes(from offset: Int64) throws -> any ByteSource {
        PumpedSource { [reader, length] pipe in
            _ = try await reader.streamInRanges(.from(offset), into: pipe, listedSize: length)
        }
    }

    /// One range of the file.
    public func bytes(in range: Range<Int64>) async throws -> Data { try await reader.read(range) }
}

/// A source that a task fills through a pipe; releasing it stops the task.
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
