import FileProviderCore
public import Publication

extension Publication {
    /// Opens the book at `path`, a local file or folder, counted from the current folder unless absolute. Needs no
    /// registered provider.
    ///
    /// - Throws: As ``/Publication/Publication/open(path:of:options:)``; `CocoaError(.fileReadInvalidFileName)` for an
    ///   invalid path.
    public static func open(_ path: String, options: OpeningOptions = OpeningOptions()) async throws -> Publication {
        try await open(LocalFile.location(path), options: options)
    }
}
