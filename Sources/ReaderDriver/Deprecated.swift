// Deprecated names.

extension DriverOptions {
    /// The former name of ``maxSnapshotSize``.
    @available(*, deprecated, renamed: "maxSnapshotSize")
    public var largestSnapshot: Int64 {
        get { maxSnapshotSize }
        set { maxSnapshotSize = newValue }
    }

    /// The former name of ``maxBookSize``.
    @available(*, deprecated, renamed: "maxBookSize")
    public var largestBook: Int64 {
        get { maxBookSize }
        set { maxBookSize = newValue }
    }
}

extension PlainFolderOptions {
    /// The former name of ``maxCacheSize``.
    @available(*, deprecated, renamed: "maxCacheSize")
    public var largestCache: Int64 {
        get { maxCacheSize }
        set { maxCacheSize = newValue }
    }

    /// The former name of ``maxDepth``.
    @available(*, deprecated, renamed: "maxDepth")
    public var deepest: Int {
        get { maxDepth }
        set { maxDepth = newValue }
    }

    /// The former name of ``maxItems``.
    @available(*, deprecated, renamed: "maxItems")
    public var mostItems: Int {
        get { maxItems }
        set { maxItems = newValue }
    }

    /// The former name of ``maxCoverSize``.
    @available(*, deprecated, renamed: "maxCoverSize")
    public var largestCover: Int {
        get { maxCoverSize }
        set { maxCoverSize = newValue }
    }

    /// The former name of ``maxCoverBytes``.
    @available(*, deprecated, renamed: "maxCoverBytes")
    public var mostCoverBytes: Int {
        get { maxCoverBytes }
        set { maxCoverBytes = newValue }
    }
}

extension DriverError {
    /// The former spelling of ``init(_:sentence:underlying:)``, without a label.
    @available(*, deprecated, renamed: "init(_:sentence:underlying:)")
    public init(_ kind: Kind, _ sentence: String?, underlying: (any Error)? = nil) {
        self.init(kind, sentence: sentence, underlying: underlying)
    }
}
