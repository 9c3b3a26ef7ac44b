// Names that were changed, for apps that use them still.

extension LibraryOptions {
    /// The name that ``maxBookSize`` had.
    @available(*, deprecated, renamed: "maxBookSize")
    public var largestBook: Int64 {
        get { maxBookSize }
        set { maxBookSize = newValue }
    }

    /// The name that ``maxUnpackedSize`` had.
    @available(*, deprecated, renamed: "maxUnpackedSize")
    public var largestUnpacked: Int64 {
        get { maxUnpackedSize }
        set { maxUnpackedSize = newValue }
    }

    /// The name that ``maxCoverSize`` had.
    @available(*, deprecated, renamed: "maxCoverSize")
    public var largestCover: Int {
        get { maxCoverSize }
        set { maxCoverSize = newValue }
    }
}

extension SQLiteSnapshotReader {
    /// The name that ``maxFileSize`` had.
    @available(*, deprecated, renamed: "maxFileSize")
    public var largestFile: Int64 {
        get { maxFileSize }
        set { maxFileSize = newValue }
    }

    /// The name that ``maxBooks`` had.
    @available(*, deprecated, renamed: "maxBooks")
    public var mostBooks: Int {
        get { maxBooks }
        set { maxBooks = newValue }
    }
}
