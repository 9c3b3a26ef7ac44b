// Former names, for apps that still use them.

extension ArchiveLimits {
    /// The name that ``maxEntrySize`` had.
    @available(*, deprecated, renamed: "maxEntrySize")
    public var largestEntry: Int64 {
        get { maxEntrySize }
        set { maxEntrySize = newValue }
    }

    /// The name that ``maxRatio`` had.
    @available(*, deprecated, renamed: "maxRatio")
    public var largestRatio: Int64 {
        get { maxRatio }
        set { maxRatio = newValue }
    }
}

extension FolderArchive {
    /// The name that ``maxOpenFiles`` had.
    @available(*, deprecated, renamed: "maxOpenFiles")
    public static var mostOpenFiles: Int { maxOpenFiles }
}

extension CachedFileReader {
    /// The name that ``maxCachedRead`` had.
    @available(*, deprecated, renamed: "maxCachedRead")
    public static var largestCachedRead: Int64 { maxCachedRead }
}

extension ContentWarning {
    /// The form without labels that ``init(_:severity:message:)`` had.
    @available(*, deprecated, renamed: "init(_:severity:message:)")
    public init(_ tag: String, _ severity: Severity, _ message: String) {
        self.init(tag, severity: severity, message: message)
    }
}

extension WarningLog {
    /// The name that ``maxCount`` had.
    @available(*, deprecated, renamed: "maxCount")
    public static var most: Int { maxCount }

    /// The form without labels that ``warn(_:severity:message:)`` had.
    @available(*, deprecated, renamed: "warn(_:severity:message:)")
    public func warn(_ tag: String, _ severity: ContentWarning.Severity, _ message: String) {
        warn(tag, severity: severity, message: message)
    }
}
