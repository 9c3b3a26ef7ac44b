public import Foundation
public import MediaTypes
public import Publication

/// A document of a catalogue, of whatever kind the catalogue sent.
public enum CatalogDocument: Hashable, Sendable {
    /// A feed of OPDS 1.2 or 2.0.
    case feed(Feed)
    /// An Atom entry or an OPDS 2.0 publication.
    case publication(FeedPublication)
    /// A document that says how to log in.
    case authentication(AuthenticationDocument)
    /// A description of a search.
    case openSearch(OpenSearchDescription)

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - url: The address of the document. Relative addresses in it become absolute with it.
    ///   - mediaType: The media type that the server sent. It decides only if a JSON document could be both a feed and
    ///     a publication.
    /// - Throws: `CocoaError(.fileReadTooLarge)` if the document exceeds `limits`; `CocoaError(.fileReadCorruptFile)`
    ///   if it is of no kind listed here, such as a web page.
    public init(
        data: Data, url: URL?, mediaType: MediaType? = nil, limits: CatalogLimits = CatalogLimits()
    ) throws {
        let isManifest = mediaType.map { $0.isManifest } ?? false
        try self.init(data: data, url: url, limits: limits, prefersPublication: isManifest)
    }

    /// - Parameter prefersPublication: What a JSON document is that could be both a feed and a publication.
    init(data: Data, url: URL?, limits: CatalogLimits, prefersPublication: Bool) throws {
        guard data.count <= limits.bytes else {
            throw CocoaError.catalogTooLarge(
                "The catalogue's document has \(data.count) bytes; at most \(limits.bytes) are accepted.", url: url)
        }
        switch CatalogForm(of: data) {
        case .json: try self.init(json: data, url: url, limits: limits, prefersPublication: prefersPublication)
        case .feed, .xml: self = .feed(try AtomReader.feed(data, url: url, limits: limits))
        case .entry: self = .publication(try AtomReader.publication(data, url: url, limits: limits))
        case .openSearch: self = .openSearch(try OpenSearchDescription(xml: data, url: url, limits: limits))
        case .webPage:
            let named = CatalogAnnouncement.address(in: data, at: url).map { " It names this one: \($0.prefix(500))" }
            throw CocoaError.noCatalog(
                "The document is a web page, not a catalogue of OPDS 1.2 or 2.0.\(named ?? "")", url: url)
        case .unknown:
            throw CocoaError.noCatalog("The document is not of OPDS 1.2 or 2.0: it is neither XML nor JSON.", url: url)
        }
    }

    private init(json data: Data, url: URL?, limits: CatalogLimits, prefersPublication: Bool) throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = data.starts(with: mark) ? Data(data.dropFirst(mark.count)) : data
        let json = try JSONValue(data: text, maximumSize: limits.bytes)
        let base = CatalogBase(url, linkCount: limits.linksPerEntry)
        switch json.catalogKind(prefersPublication: prefersPublication) {
        case .feed:
            try limits.check(json, url: url)
            self = .feed(try Feed(json: json, base: base))
        case .publication: self = .publication(try FeedPublication(json: json, base: base))
        case .authentication: self = .authentication(try AuthenticationDocument(json: json, baseURL: url))
        }
    }
}

/// The kinds of JSON documents in catalogues.
private enum JSONKind {
    case feed
    case publication
    case authentication
}

extension JSONValue {
    fileprivate func catalogKind(prefersPublication: Bool) -> JSONKind {
        if self["authentication"]?.arrayValue != nil, self["metadata"] == nil { return .authentication }
        let hasList = ["navigation", "publications", "groups", "facets"].contains { self[$0] != nil }
        if hasList { return .feed }
        let hasContent = self["images"] != nil || self["readingOrder"] != nil
        let canBeAcquired = [Link](json: self["links"]).contains { $0.acquisitionRelation != nil }
        return hasContent || canBeAcquired || prefersPublication ? .publication : .feed
    }
}
