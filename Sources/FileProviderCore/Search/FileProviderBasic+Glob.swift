extension FileProviderBasic {
    /// Returns the items directly in `folder` whose names match the shell pattern `pattern` (``TextMatch/Kind/glob``),
    /// by name.
    ///
    /// As in a shell, a name that begins with a dot matches only a pattern that does.
    ///
    /// - Throws: As ``contentsOfDirectory(path:page:)``, except for unusable names.
    /// - Complexity: One listing; the matching items are held.
    public func items(in folder: ProviderPath, matching pattern: String) async throws -> [FileObject] {
        let match = TextMatch.glob(pattern)
        let takesHidden = pattern.hasPrefix(".")
        let found = CollectedValues<FileObject>()
        do {
            try await contentsOfDirectory(path: folder) { page in
                found.append(page.filter { (takesHidden || !$0.isHidden) && match.matches($0.name) })
            }
        } catch  where error.unusableNames != nil {
            // No pattern can match a name that no path can hold.
        }
        return found.values.sorted { $0.path < $1.path }
    }
}
