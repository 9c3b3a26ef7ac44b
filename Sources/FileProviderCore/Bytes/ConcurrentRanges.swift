/// How a large file may be fetched in several ranges at once.
///
/// A reader that gives it (``FileReaderAttributes/concurrentRanges``) promises that each answer is compared with the
/// version of the first one, and that no two versions of the file share that version's validator.
public struct ConcurrentRanges: Sendable, Hashable {
    /// Ranges at once, at most; 1 for one stream.
    public var maxCount: Int
    /// Bytes of the smallest range that is worth a request of its own.
    public var minSize: Int64
    /// Bytes of the largest range: so much of the file is held in memory for each.
    public var maxSize: Int64
    /// Where in the file a second range may begin: an answer to one that begins before may not show that the storage
    /// takes ranges.
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
