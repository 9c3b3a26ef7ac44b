import FileProviderCore
public import Publication

extension Publication {
    /// Opens the book at `path`, a file or a folder of this machine, counted from the current folder unless absolute.
    /// No provider has to be registered for that.
    ///
    /// - Throws: As ``/Publication/Publication/open(path:of:options:)``; `CocoaError(.fileReadInvalidFileName)` for a
    ///   path that cannot be.
    public static func open(_ path: String, options: OpeningOptions = OpeningOptions()) async throws -> Publication {
        try await open(LocalFile.location(path), options: options)
    }
}
