/// Keeping every operation inside a few folders, whatever symbolic links or other processes do in them.
public protocol FileProviderConfining: FileProviderBasic {
    /// The same storage under the same paths, as far as it is in `folders`.
    ///
    /// Each folder is opened once, when it is first used, and held: what is below it is resolved from there, and no
    /// symbolic link leads out of it. The folders themselves, and those above them, can be looked at and made as
    /// before. Everything else is refused.
    ///
    /// - Throws: From the operations of the result: `CocoaError(.fileReadNoPermission)` or
    ///   `CocoaError(.fileWriteNoPermission)` for a path that is outside the folders or that a link leads out of them.
    func confined(to folders: [ProviderPath]) -> any FileProvider
}
