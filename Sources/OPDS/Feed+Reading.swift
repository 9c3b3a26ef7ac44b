public import Foundation
public import MediaTypes
import Publication

extension Feed {
    /// Reads a feed of OPDS 1.2 or 2.0. The document's first characters decide which, not `mediaType`.
    ///
    /// Reading is forgiving: parts of the wrong kind and malformed publications are left out, and never cost the rest.
    /// - Parameters:
    ///   - url: The address of the document. Relative addresses in it become absolute with it.
    ///   - mediaType: The media type that the server sent. Nothing depends on it at present.
    /// - Throws: `CocoaError(.fileReadTooLarge)` if the document exceeds `limits`; `CocoaError(.fileReadCorruptFile)`
    ///   if it is not a feed.
    public init(
        data: Data, url: URL?, mediaType: MediaType? = nil, limits: CatalogLimits = CatalogLimits()
    ) throws {
        switch try CatalogDocument(data: data, url: url, limits: limits, prefersPublication: false) {
        case .feed(let feed): self = feed
        case let other: throw CocoaError.noCatalog("The document is \(other.name), not a feed.", url: url)
        }
    }
}

extension FeedPublication {
    /// Reads an Atom entry of OPDS 1.2, an OPDS 2.0 publication, or a feed with one publication, which some catalogues
    /// send instead. The document's first characters decide which, not `mediaType`.
    ///
    /// - Parameters:
    ///   - url: The address of the document. Relative addresses in it become absolute with it.
    ///   - mediaType: The media type that the server sent. Nothing depends on it at present.
    /// - Throws: `CocoaError(.fileReadTooLarge)` if the document exceeds `limits`; `CocoaError(.fileReadCorruptFile)`
    ///   if it does not describe one publication.
    public init(
        data: Data, url: URL?, mediaType: MediaType? = nil, limits: CatalogLimits = CatalogLimits()
    ) throws {
        switch try CatalogDocument(data: data, url: url, limits: limits, prefersPublication: true) {
        case .publication(let publication): self = publication
        case .feed(let feed):
            let publications = feed.allPublications
            guard let publication = publications.first, publications.count == 1 else {
                let count = publications.count
                throw CocoaError.noCatalog(
                    "The document is a feed with \(count) publications, not a single publication.", url: url)
            }
            self = publication
        case let other: throw CocoaError.noCatalog("The document is \(other.name), not a publication.", url: url)
        }
    }
}

extension CatalogDocument {
    /// The kind of the document, as sentences name it.
    fileprivate var name: String {
        switch self {
        case .feed: "a feed"
        case .publication: "the entry of one publication"
        case .authentication: "a demand to log in"
        case .openSearch: "a description of a search"
        }
    }
}
