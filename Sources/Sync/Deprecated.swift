// Deprecated names.

extension FolderSyncReport {
    /// The former name of ``maxNamed``.
    @available(*, deprecated, renamed: "maxNamed")
    public static var mostNamed: Int { maxNamed }
}
