// Deprecated names.

extension LibraryOptions {
    /// The former name of ``maxBookSize``.
    @available(*, deprecated, renamed: "maxBookSize")
    public var largestBook: Int64 {
        get { maxBookSize }
        set { maxBookSize = newValue }
    }

    /// The former name of ``maxUnpackedSize``.
    @available(*, deprecated, renamed: "maxUnpackedSize")
    public var largestUnpacked: Int64 {
        get { maxUnpackedSize }
        set { maxUnpackedSize = newValue }
    }

    /// The former name of ``maxCoverSize``.
    @available(*, deprecated, renamed: "maxCoverSize")
    public var largestCover: Int {
        get { maxCoverSize }
        set { maxCoverSize = newValue }
    }
}

extension SQLiteSnapshotReader {
    /// The former name of ``maxFileSize``.
    @available(*, deprecated, renamed: "maxFileSize")
    public var largestFile: Int64 {
        get { maxFileSize }
        set { maxFileSize = newValue }
    }

    /// The former name of ``maxBooks``.
    @available(*, deprecated, renamed: "maxBooks")
    public var mostBooks: Int {
        get { maxBooks }
        set { maxBooks = newValue }
    }
}
