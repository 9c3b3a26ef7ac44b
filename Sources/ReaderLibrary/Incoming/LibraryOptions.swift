public import ReaderLink

/// The options of a library.
public struct LibraryOptions: Sendable {
    /// The largest book that is accepted, in bytes; 4 GiB.
    public var maxBookSize: Int64 = 4 << 30
    /// The most bytes of all unpacked parts of a book together; 16 GiB.
    public var maxUnpackedSize: Int64 = 16 << 30
    /// The largest cover that is kept, in bytes; 16 MiB.
    public var maxCoverSize = 16 << 20
    /// Whether collections called `NEW`, `READ` and `READING LIST` set a book's flags instead. Such a list is then
    /// complete: it clears the flags that it doesn't contain.
    public var mapsFlags = false
    /// Whether a replaced book keeps its reading state: read, new, on the reading list, locked, rated.
    public var keepsReadingState = true
    /// Called with a sentence for the log about a finding, such as a book whose file is missing. On any thread.
    public var report: @Sendable (String) -> Void = { _ in }
    /// The clocks.
    public var time: any TimeSource = SystemTime()

    /// Creates the default options.
    public init() {}
}
