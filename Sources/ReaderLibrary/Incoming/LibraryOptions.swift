public import ReaderLink

/// How a library takes books.
public struct LibraryOptions: Sendable {
    /// Bytes of the largest book that is taken; 4 GiB.
    public var maxBookSize: Int64 = 4 << 30
    /// Bytes that all parts of a book may come to when they are unpacked; 16 GiB.
    public var maxUnpackedSize: Int64 = 16 << 30
    /// Bytes of the largest cover that is kept; 16 MiB.
    public var maxCoverSize = 16 << 20
    /// Whether collections called `NEW`, `READ` and `READING LIST` are the flags of a book, and no collections. Such a
    /// list then says all: a flag that is not in it is taken away.
    public var mapsFlags = false
    /// Whether a book that is replaced keeps what its reader did: read, new, on the reading list, locked, rated.
    public var keepsReadingState = true
    /// Called with a sentence for the log about what was found, such as a book whose file is gone. On any thread.
    public var report: @Sendable (String) -> Void = { _ in }
    /// What time it is.
    public var time: any TimeSource = SystemTime()

    /// The options named at each property.
    public init() {}
}
