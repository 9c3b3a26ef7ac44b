public import FileProviderCore

/// A service whose server knows properties of files or makes thumbnails of them; its provider is an
/// `ExtendedFileProvider`.
///
/// What the server does not offer after all, `CocoaError(.featureUnsupported)`, is made from the file.
public protocol HTTPInformationService: HTTPService {
    /// Whether the server may know properties of a file with this name; false by default. Nothing is sent.
    func providesProperties(path: ProviderPath) -> Bool

    /// Whether the server may make a thumbnail of a file with this name; false by default. Nothing is sent.
    func providesThumbnail(path: ProviderPath) -> Bool

    /// What the server knows of the file at `path`, named as in `Documentation/FileInformation.md`.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)`, as the default does, where it knows nothing.
    func properties(path: ProviderPath, over connection: HTTPConnection) async throws -> FileProperties

    /// A thumbnail that the server makes of the file at `path`, of the first page where it has pages: the provider
    /// refuses others, and a picture that is larger than was asked for.
    ///
    /// ``HTTPConnection/data(for:limit:)`` with a limit brings it.
    ///
    /// - Parameter dimension: Pixels of the longer side at most, 1–4096.
    /// - Throws: `CocoaError(.featureUnsupported)`, as the default does, where it makes none.
    func thumbnail(path: ProviderPath, dimension: Int, over connection: HTTPConnection) async throws -> Thumbnail
}

extension HTTPInformationService {
    /// The default, for servers that know of none.
    public func providesProperties(path: ProviderPath) -> Bool { false }

    /// The default, for servers that make none.
    public func providesThumbnail(path: ProviderPath) -> Bool { false }

    /// The default leaves the file to the generators.
    public func properties(path: ProviderPath, over connection: HTTPConnection) async throws -> FileProperties {
        throw FileError.unsupported(
            "tell properties of files", by: Self.type, path: path, url: connection.url(of: path))
    }

    /// The default leaves the file to the generators.
    public func thumbnail(path: ProviderPath, dimension: Int, over connection: HTTPConnection) async throws -> Thumbnail
    {
        throw FileError.unsupported("make thumbnails", by: Self.type, path: path, url: connection.url(of: path))
    }
}
