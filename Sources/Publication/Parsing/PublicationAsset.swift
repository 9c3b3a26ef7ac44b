public import FileProviderCore
public import Foundation
import MediaTypes

/// The parts of a possible publication and its format, as parsers and content protections receive them.
///
/// Nothing is copied: the parts are read in place.
public struct PublicationAsset: Sendable {
    /// The kind of item that the parts are read from.
    public enum Form: Sendable, Hashable {
        /// One file, which is its own only part, under its name.
        case file
        /// One file with entries.
        case archive
        /// A folder with files, at any depth.
        case folder
    }

    /// The path of the file or folder; its name may become the title.
    public let path: ProviderPath
    /// The format, as far as it is known: a folder has one only if its content shows it.
    public let mediaType: MediaType?
    /// The kind of item that ``fetcher`` reads.
    public let form: Form
    /// The file, the archive's entries or the folder's files. A content protection may wrap it.
    public var fetcher: any Fetcher
    /// The files beside a single file, which a manifest's relative links lead to.
    public let siblings: any Fetcher
    /// The fetcher for links that have a scheme or an authority.
    public let remote: any Fetcher
    /// Where the file was downloaded from, if it was.
    public let sourceURL: URL?

    /// An asset made by a program, for example to test an app's own parsers.
    public init(
        path: ProviderPath, mediaType: MediaType?, form: Form, fetcher: any Fetcher,
        siblings: any Fetcher = EmptyFetcher(),
        remote: any Fetcher = EmptyFetcher(), sourceURL: URL? = nil
    ) {
        self.path = path
        self.mediaType = mediaType
        self.form = form
        self.fetcher = fetcher
        self.siblings = siblings
        self.remote = remote
        self.sourceURL = sourceURL
    }
}

extension PublicationAsset {
    /// The last name of the path without its extension, for publications without a title.
    public var nameWithoutExtension: String {
        let name = path.isRoot ? "book" : path.name
        guard form != .folder, let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }
}
