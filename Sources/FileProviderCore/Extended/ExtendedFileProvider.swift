/// A provider whose storage itself knows properties of files or makes thumbnails of them.
///
/// Every other provider has both through ``FileInformationGenerators``, which read the file. Conform only if asking the
/// storage is better than that; names that the storage doesn't serve are left to the generators.
public protocol ExtendedFileProvider: FileProviderBasic {
    /// Whether the storage may know properties of a file with this name. Costs nothing: only looks at the name.
    func providesProperties(path: ProviderPath) -> Bool

    /// Whether the storage may make a thumbnail of a file with this name. Costs nothing: only looks at the name.
    func providesThumbnail(path: ProviderPath) -> Bool

    /// Returns the properties that the storage knows of the file at `path`, named as in
    /// `Documentation/FileInformation.md`.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` if it knows nothing after all; the generators are asked then.
    func providedProperties(path: ProviderPath) async throws -> FileProperties

    /// Returns a thumbnail that the storage makes of the file at `path`, at most as large as `request` says.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` if it makes none after all; the generators are asked then.
    func providedThumbnail(path: ProviderPath, request: ThumbnailRequest) async throws -> Thumbnail
}

extension ExtendedFileProvider {
    /// The default, for storages that know no properties.
    public func providesProperties(path: ProviderPath) -> Bool { false }

    /// The default, for storages that make no thumbnails.
    public func providesThumbnail(path: ProviderPath) -> Bool { false }

    /// The default fails with `CocoaError(.featureUnsupported)`, which leaves the file to the generators.
    public func providedProperties(path: ProviderPath) async throws -> FileProperties {
        throw FileError.unsupported("tell properties of files", by: Self.type, path: path)
    }

    /// The default fails with `CocoaError(.featureUnsupported)`, which leaves the file to the generators.
    public func providedThumbnail(path: ProviderPath, request: ThumbnailRequest) async throws -> Thumbnail {
        throw FileError.unsupported("make thumbnails", by: Self.type, path: path)
    }
}
