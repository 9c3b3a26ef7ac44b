/// How a large file may be fetched in several ranges at once.
///
/// A reader that returns it (``FileReaderAttributes/concurrentRanges``) promises to compare each answer with the
/// version of the first one, and that no two versions of the file share that version's validator.
public struct ConcurrentRanges: Sendable, Hashable {
    /// The most ranges at once; 1 for one stream.
    public var maxCount: Int
    /// Bytes of the smallest range that is worth a separate request.
    public var minSize: Int64
    /// Bytes of the largest range. Each range in flight is held in memory.
    public var maxSize: Int64
    /// The lowest offset at which a second range may begin. The answer to one that begins earlier may not show that the
    /// storage supports ranges.
    public var minOffset: Int64

    /// - Parameters:
    ///   - maxCount: 1 or more.
    ///   - minSize: 1 or more.
    ///   - maxSize: No less than `minSize`.
    ///   - minOffset: 0 or more.
    public init(maxCount: Int, minSize: Int64, maxSize: Int64, minOffset: Int64 = 0) {
        self.maxCount = max(1, maxCount)
        self.minSize = max(1, minSize)
        self.maxSize = max(self.minSize, maxSize)
        self.minOffset = minOffset
    }
}
