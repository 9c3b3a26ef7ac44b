import FileProviderCore
import Foundation
import LocalFileProvider

/// Local files by the paths that programs use.
enum LocalFile {
    /// Returns the item at `path`, counted from the current folder unless absolute, with the provider of the whole
    /// machine.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for an invalid path.
    static func location(_ path: String) throws -> ProviderLocation {
        let location = try ProviderPath(URL(fileURLWithPath: path).standardizedFileURL.path)
        return ProviderLocation(provider: try LocalFileProvider(root: URL(fileURLWithPath: "/")), path: location)
    }
}
