import FileProviderCore
public import Foundation

/// The folder of this machine that a ``LocalFileProvider`` shows.
public struct LocalConfiguration: Sendable, Hashable, Codable {
    /// The folder's absolute path, in the escape of ``/FileProviderCore/ProviderPath``, so that it can hold names that
    /// are not UTF-8.
    public var root: String

    /// - Parameter root: An absolute path, without `.` and `..`.
    public init(root: String) {
        self.root = root
    }

    /// Creates a configuration from a `file` URL; a relative one counts from the current folder.
    ///
    /// - Throws: `CocoaError(.fileReadUnsupportedScheme)` for another scheme; `CocoaError(.fileReadInvalidFileName)`.
    public init(root: URL) throws {
        guard root.isFileURL else {
            throw FileError.make(
                .fileReadUnsupportedScheme, path: root.path, url: root,
                sentence: "“\(root.withoutSecrets)” is not a file URL.")
        }
        let absolute = root.absoluteURL.path(percentEncoded: true)
        let isPlain = !absolute.split(separator: "/").contains { $0 == "." || $0 == ".." } && !absolute.contains("//")
        let path = isPlain ? absolute : root.absoluteURL.standardizedFileURL.path(percentEncoded: true)
        self.root = try ProviderPath(percentEncoded: path).string
    }
}
