public import Foundation

/// A part of a file.
public enum FilePart: Sendable, Hashable {
    /// Every byte, however many there are.
    case whole
    /// From an offset to the end.
    case from(Int64)
    /// Offsets from the start of the file; those past its end are left out.
    case range(Range<Int64>)
    /// The last bytes of the file, this many, or all if it is shorter.
    case suffix(Int64)

    /// Whether no file has bytes in this part, however long it is.
    public var isEmpty: Bool {
        switch self {
        case .whole, .from: false
        case .range(let range): range.isEmpty
        case .suffix(let count): count <= 0
        }
    }

    /// The offsets that this part covers in a file of `size` bytes.
    public func resolved(size: Int64) -> Range<Int64> {
        let size = max(0, size)
        return switch self {
        case .whole: 0..<size
        case .from(let offset): min(max(0, offset), size)..<size
        case .range(let range): range.clamped(to: 0..<size)
        case .suffix(let count): max(0, size - max(0, count))..<size
        }
    }
}

/// The bytes that a read delivers, and their place in the file.
public struct FileExtent: Sendable, Hashable {
    /// Offset of the first byte delivered.
    public var offset: Int64
    /// Bytes that are or were delivered; −1, in ``ByteSink/begin(_:)`` only, if the storage does not say before the
    /// end.
    public var count: Int64
    /// Bytes of the whole file; −1 as above.
    public var size: Int64

    /// An extent, as the delivering side knows it.
    public init(offset: Int64, count: Int64, size: Int64) {
        self.offset = offset
        self.count = count
        self.size = size
    }
}

/// The attributes of a reader's file.
public struct FileReaderAttributes: Sendable, Hashable {
    /// Bytes.
    public var size: Int64
    /// The version being read: an ETag, or modification time and size. Nil if the storage has no way to tell versions
    /// apart.
    public var validator: String?
    /// The media type as the server gave it.
    public var mimeType: String?
    /// The URL that answered, without secrets, if the server redirected the request to another path or host; nil
    /// otherwise.
    public var redirectedTo: URL?
    /// How the file may be fetched in several ranges at once; nil to fetch it in one stream.
    public var concurrentRanges: ConcurrentRanges?
    /// The modification time, if ``validator`` has nothing but it and the size to tell versions apart, and times may be
    /// of whole seconds: two versions of one second then have the same validator. A time that cannot be read is
    /// `Date.distantFuture`. Nil for any other validator, such as an ETag.
    public var validatorDate: Date?
    /// The file name that the server suggests, without folders; nil if it suggests none.
    package var suggestedName: String?

    /// Without a validator, changes of the file go unnoticed.
    public init(
        size: Int64, validator: String? = nil, mimeType: String? = nil, redirectedTo: URL? = nil,
        concurrentRanges: ConcurrentRanges? = nil, validatorDate: Date? = nil
    ) {
        self.size = size
        self.validator = validator
        self.mimeType = mimeType
        self.redirectedTo = redirectedTo
        self.concurrentRanges = concurrentRanges
        self.validatorDate = validatorDate
    }
}

/// One file, open for positional reading: many reads at once, each with its own offsets.
///
/// All reads are of one version of the file: a change between two of them is an error, never a mixture. A provider
/// implements ``attributes()`` and ``stream(_:into:)``. The rest has defaults, to override if the storage can do
/// better.
public protocol FileReader: AnyObject, Sendable {
    /// The reader's file, for messages.
    var path: ProviderPath { get }
    /// The cost of reads here.
    var cost: Capabilities.ReadCost { get }

    /// Size and version.
    ///
    /// - Complexity: Nothing once any read has answered; before that, one request.
    func attributes() async throws -> FileReaderAttributes

    /// Sends the bytes of `part` into `sink`, in order, and returns when the sink has all of them.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; an error of the sink; `CancellationError` at once when the task is
    ///   cancelled.
    /// - Complexity: One request if the storage supports ranges, else everything up to the end of `part`.
    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent

    /// Returns the bytes of each of `ranges`, clamped to the file, in the order of `ranges`.
    ///
    /// - Complexity: Ranges closer to each other than ``Capabilities/ReadCost/coalescingGap`` are read as one.
    func read(_ ranges: [Range<Int64>]) async throws -> [Data]

    /// Returns the whole file as a source for a write elsewhere.
    ///
    /// The default streams through a bounded pipe; a reader whose bytes can be pulled from any thread returns a source
    /// without one.
    func writeSource() async throws -> any WriteSource

    /// Releases what the reader holds. Reads after it fail; closing twice is allowed.
    func close() async
}

extension FileReader {
    /// The most bytes that the forms which return `Data` hold, 256 MiB. Stream larger parts.
    public static var memoryLimit: Int64 { 256 << 20 }

    /// Runs `body`, then closes the reader, also if `body` throws.
    func closing<Value: Sendable>(after body: () async throws -> Value) async throws -> Value {
        do {
            let value = try await body()
            await close()
            return value
        } catch {
            await close()
            throw error
        }
    }

    /// Returns the bytes of `part` with its place in the file.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` over ``memoryLimit``.
    public func read(_ part: FilePart) async throws -> (data: Data, extent: FileExtent) {
        let sink = DataSink(limit: Int(Self.memoryLimit))
        let extent = try await stream(part, into: sink)
        return (sink.data, extent)
    }

    /// Returns the bytes in `range`, counted from the start of the file; fewer if the file ends first.
    public func read(_ range: Range<Int64>) async throws -> Data {
        if range.isEmpty { return Data() }
        return try await read(.range(range)).data
    }

    /// The default joins near ranges, requests as many at once as ``cost`` says, and splits the results.
    ///
    /// - Throws: As ``stream(_:into:)``; `CocoaError(.fileReadTooLarge)` for joined ranges over ``memoryLimit``.
    public func read(_ ranges: [Range<Int64>]) async throws -> [Data] {
        let ranges = ranges.map { $0.clamped(to: 0..<Int64.max) }
        let blocks = RangeCoalescing.blocks(for: ranges, gap: Int64(cost.coalescingGap))
        var loaded: [(block: Range<Int64>, data: Data)] = []
        try await withThrowingTaskGroup(of: (Int, Data).self) { group in
            var next = 0
            func startOne() {
                guard next < blocks.count else { return }
                let index = next
                next += 1
                group.addTask { (index, try await self.read(blocks[index])) }
            }
            for _ in 0..<max(1, cost.concurrentRanges) { startOne() }
            while let (index, data) = try await group.next() {
                loaded.append((blocks[index], data))
                startOne()
            }
        }
        return ranges.map { range in
            guard let holder = loaded.first(where: { !range.isEmpty && $0.block.contains(range.lowerBound) }) else {
                return Data()
            }
            let start = Int(range.lowerBound - holder.block.lowerBound)
            return Data(holder.data.dropFirst(start).prefix(range.count))
        }
    }

    /// Returns the bytes of `part` in pieces as they arrive; the storage waits while the caller does.
    public func bytes(_ part: FilePart = .whole) -> PumpedBytes {
        PumpedBytes { _ = try await self.stream(part, into: $0) }
    }

    /// The default: streams through a bounded pipe.
    ///
    /// - Complexity: What ``attributes()`` costs.
    public func writeSource() async throws -> any WriteSource {
        ReaderSource(self, length: try await attributes().size)
    }

    /// The default, for readers that hold nothing.
    public func close() async {}
}

/// Joins ranges that are better read as one.
enum RangeCoalescing {
    /// The most bytes that near ranges are joined to, 16 MiB.
    private static let maxSize: Int64 = 16 << 20

    static func blocks(for ranges: [Range<Int64>], gap: Int64) -> [Range<Int64>] {
        var blocks: [Range<Int64>] = []
        for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = blocks.last, range.lowerBound - last.upperBound <= gap,
                range.lowerBound < last.upperBound || range.upperBound - last.lowerBound <= maxSize
            {
                blocks[blocks.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                blocks.append(range)
            }
        }
        return blocks
    }
}
