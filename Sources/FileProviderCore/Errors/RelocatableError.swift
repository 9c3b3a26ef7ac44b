/// An error that can name its item by another path: a layer shows callers the paths that they know.
package protocol RelocatableError: Error {
    /// The item, counted from the provider's root.
    var path: String { get }

    /// This error with `path` as the item's.
    func about(_ path: ProviderPath) -> Self
}
