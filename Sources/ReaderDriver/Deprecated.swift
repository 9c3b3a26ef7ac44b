// Names that were changed, for apps that use them still.

extension DriverOptions {
    /// The name that ``maxSnapshotSize`` had.
    @available(*, deprecated, renamed: "maxSnapshotSize")
    public var largestSnapshot: Int64 {
        get { maxSnapshotSize }
        set { maxSnapshotSize = newValue }
    }

    /// The name that ``maxBookSize`` had.
    @available(*, deprecated, renamed: "maxBookSize")
    public var largestBook: Int64 {
        get { maxBookSize }
        set { maxBookSize = newValue }
    }
}

extension PlainFolderOptions {
    /// The name that ``maxCacheSize`` had.
    @available(*, deprecated, renamed: "maxCacheSize")
    public var largestCache: Int64 {
        get { maxCacheSize }
        set { maxCacheSize = newValue }
    }

    /// The name that ``maxDepth`` had.
    @available(*, deprecated, renamed: "maxDepth")
    public var deepest: Int {
        get { maxDepth }
        set { maxDepth = newValue }
    }

    /// The name that ``maxItems`` had.
    @available(*, deprecated, renamed: "maxItems")
    public var mostItems: Int {
        get { maxItems }
        set { maxItems = newValue }
    }

    /// The name that ``maxCoverSize`` had.
    @available(*, deprecated, renamed: "maxCoverSize")
    public var largestCover: Int {
        get { maxCoverSize }
        set { maxCoverSize = newValue }
    }

    /// The name that ``maxCoverBytes`` had.
    @available(*, deprecated, renamed: "maxCoverBytes")
    public var mostCoverBytes: Int {
        get { maxCoverBytes }
        set { maxCoverBytes = newValue }
    }
}

extension DriverError {
    /// The form without a label that ``init(_:sentence:underlying:)`` had.
    @available(*, deprecated, renamed: "init(_:sentence:underlying:)")
    public init(_ kind: Kind, _ sentence: String?, underlying: (any Error)? = nil) {
        self.init(kind, sentence: sentence, underlying: underlying)
    }
}
