extension Publication {
    /// Opens the book in `file`. Reuses what ``Format/File`` found out about its format; links of a downloaded manifest
    /// are resolved against the address it was downloaded from.
    ///
    /// - Throws: As ``open(path:of:options:)``.
    public static func open(_ file: Format.File, options: OpeningOptions = OpeningOptions()) async throws -> Publication
    {
        var options = options
        options.sourceURL = options.sourceURL ?? file.sourceURL
        options.mediaTypes = [file.knownMediaType?.string].compactMap(\.self) + file.mediaTypes + options.mediaTypes
        return try await open(path: file.path, of: file.provider, options: options)
    }
}
