package import FileProviderCore
import MediaTypes

extension WriteOptions {
    /// The media type that a file at `path` is written with: the one of these options, else the one of the extension.
    package func contentType(of path: ProviderPath) -> String? {
        if let contentType { return contentType }
        // A dot at the start hides a file; what follows it is no extension.
        guard let dot = path.name.lastIndex(of: "."), dot > path.name.startIndex else { return nil }
        return MediaType.known(fileExtension: String(path.name[path.name.index(after: dot)...]))?.string
    }
}
