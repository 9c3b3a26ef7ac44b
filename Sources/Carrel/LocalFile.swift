import FileProviderCore
import Foundation
import LocalFileProvider

/// A file of this machine by its path as programs have it.
enum LocalFile {
    /// The item at `path`, counted from the current folder unless absolute, with the provider of the whole machine.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for a path that cannot be.
    static func location(_ path: String) throws -> ProviderLocation {
        let location = try ProviderPath(URL(fileURLWithPath: path).standardizedFileURL.path)
        return ProviderLocation(provider: try LocalFileProvider(root: URL(fileURLWithPath: "/")), path: location)
    }
}
