extension Publication {
    /// Opens the book in `file`, as ``Format/File`` knows it: what was found out about its format is not found out
    /// again, and the links of a manifest that was downloaded count from where it came from.
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
