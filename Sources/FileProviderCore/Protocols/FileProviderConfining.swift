/// Keeping every operation inside a few folders, whatever symbolic links or other processes do in them.
public protocol FileProviderConfining: FileProviderBasic {
    /// Returns the same storage under the same paths, limited to `folders`.
    ///
    /// Each folder is opened once, when first used, and held: paths below it are resolved from there, and no symbolic
    /// link leads out of it. The folders themselves, and those above them, can still be looked at and created.
    /// Everything else is refused.
    ///
    /// - Throws: From the operations of the result, `CocoaError(.fileReadNoPermission)` or
    ///   `CocoaError(.fileWriteNoPermission)` for a path that is outside the folders, or that a link leads out of them.
    func confined(to folders: [ProviderPath]) -> any FileProvider
}
