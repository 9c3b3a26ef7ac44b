public import FileProviderCore

/// A service whose server knows properties of files or makes thumbnails of them; its provider is an
/// `ExtendedFileProvider`.
///
/// If the server throws `CocoaError(.featureUnsupported)`, the provider makes the properties or thumbnail from the file.
public protocol HTTPInformationService: HTTPService {
    /// Returns whether the server may know properties of a file with this name; false by default. Sends nothing.
    func providesProperties(path: ProviderPath) -> Bool

    /// Returns whether the server may make a thumbnail of a file with this name; false by default. Sends nothing.
    func providesThumbnail(path: ProviderPath) -> Bool

    /// Returns the server's properties of the file at `path`, named as in `Documentation/FileInformation.md`.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)`, as the default does, if it has none.
    func properties(path: ProviderPath, over connection: HTTPConnection) async throws -> FileProperties

    /// Returns a thumbnail that the server makes of the file at `path`, or of its first page. The provider refuses other
    /// pages, and a picture that is larger than requested.
    ///
    /// Fetch it with ``HTTPConnection/data(for:limit:)`` and a limit.
    ///
    /// - Parameter dimension: Pixels of the longer side at most, 1–4096.
    /// - Throws: `CocoaError(.featureUnsupported)`, as the default does, if it makes none.
    func thumbnail(path: ProviderPath, dimension: Int, over connection: HTTPConnection) async throws -> Thumbnail
}

extension HTTPInformationService {
    /// False, for servers without properties.
    public func providesProperties(path: ProviderPath) -> Bool { false }

    /// False, for servers without thumbnails.
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
