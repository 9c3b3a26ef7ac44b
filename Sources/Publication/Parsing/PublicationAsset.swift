public import FileProviderCore
public import Foundation
import MediaTypes

/// What a parser and a content protection get: the parts of what may be a publication, within reach, and its format.
///
/// Nothing is copied: the parts are read where they lie.
public struct PublicationAsset: Sendable {
    /// What the parts come from.
    public enum Form: Sendable, Hashable {
        /// One file, which is its own only part, under its name.
        case file
        /// One file with entries.
        case archive
        /// A folder with files, at any depth.
        case folder
    }

    /// Where it lies; its name may stand in for a title.
    public let path: ProviderPath
    /// The format, as far as it is known: a folder has one only where its content tells.
    public let mediaType: MediaType?
    /// What ``fetcher`` reaches.
    public let form: Form
    /// The file, the archive's entries or the folder's files. A content protection may put something in front of it.
    public var fetcher: any Fetcher
    /// The files beside a single file: what a manifest's relative links lead to.
    public let siblings: any Fetcher
    /// What links with an address of their own lead to.
    public let remote: any Fetcher
    /// Where the file was downloaded from, if it was.
    public let sourceURL: URL?

    /// An asset put together by a program, as an app's own parsers are tested with.
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
    /// The last name of the path without its extension, as a title of last resort.
    public var nameWithoutExtension: String {
        let name = path.isRoot ? "book" : path.name
        guard form != .folder, let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }
}
