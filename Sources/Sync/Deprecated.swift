// Names that were changed, for apps that use them still.

extension FolderSyncReport {
    /// The name that ``maxNamed`` had.
    @available(*, deprecated, renamed: "maxNamed")
    public static var mostNamed: Int { maxNamed }
}
