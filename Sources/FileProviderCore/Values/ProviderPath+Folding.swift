extension ProviderPath {
    /// Whether a storage with `capabilities` may take this path, or one above it, for `path`: names that differ only in
    /// case or normalization may be one item.
    package func isAtOrBelow(_ path: ProviderPath, with capabilities: Capabilities) -> Bool {
        var part: ProviderPath? = self
        while let candidate = part {
            if !capabilities.tells(candidate, from: path) { return true }
            part = candidate.parent
        }
        return false
    }
}
