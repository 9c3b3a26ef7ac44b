/// The relations of a link through which a publication can be acquired (OPDS 1.2, section 5.2.1).
public enum AcquisitionRelation: String, Hashable, Sendable, CaseIterable {
    /// The publication, on terms that the catalogue doesn't state.
    case acquisition = "http://opds-spec.org/acquisition"
    /// The publication, free of charge and without registration.
    case openAccess = "http://opds-spec.org/acquisition/open-access"
    /// A loan of the publication.
    case borrow = "http://opds-spec.org/acquisition/borrow"
    /// A purchase of the publication.
    case buy = "http://opds-spec.org/acquisition/buy"
    /// A part of the publication. OPDS 2.0 also calls it `preview`.
    case sample = "http://opds-spec.org/acquisition/sample"
    /// The publication as part of a subscription.
    case subscribe = "http://opds-spec.org/acquisition/subscribe"

    /// Reads a relation as a link has it, `preview` too; nil if it is another one.
    public init?(relation: String) {
        if relation == CatalogRelation.preview {
            self = .sample
        } else {
            self.init(rawValue: relation)
        }
    }

    /// Whether a relation is for acquiring a publication: each that is ``acquisition`` or below it, also one that has
    /// no case here, and `preview`.
    public static func isAcquisition(_ relation: String) -> Bool {
        let root = Self.acquisition.rawValue
        return relation == CatalogRelation.preview || relation == root || relation.hasPrefix(root + "/")
    }
}

/// Further relations of links in catalogues (OPDS 1.2, sections 2 to 6; Authentication for OPDS 1.0; OPDS-PSE 1.1).
public enum CatalogRelation {
    /// The root of the catalogue.
    public static let start = "start"
    /// The feed above this one.
    public static let up = "up"
    /// The next page.
    public static let next = "next"
    /// The previous page. RFC 5005 says `previous`; some catalogues say `prev`.
    public static let previous = "previous"
    /// The first page.
    public static let first = "first"
    /// The last page.
    public static let last = "last"
    /// A search: a URI template, or an OpenSearch description.
    public static let search = "search"
    /// The same in another form, such as the full entry of a publication.
    public static let alternate = "alternate"
    /// A feed below this one.
    public static let subsection = "subsection"
    /// The group that a publication of an OPDS 1.2 feed is in.
    public static let collection = "collection"
    /// The first part of a publication, in OPDS 2.0.
    public static let preview = "preview"

    /// The same publications in another order or a part of them.
    public static let facet = "http://opds-spec.org/facet"
    /// The cover.
    public static let image = "http://opds-spec.org/image"
    /// A smaller form of the cover.
    public static let thumbnail = "http://opds-spec.org/image/thumbnail"
    /// Publications that the provider features.
    public static let featured = "http://opds-spec.org/featured"
    /// Publications that are suggested to the user.
    public static let recommended = "http://opds-spec.org/recommended"
    /// Publications that are popular.
    public static let popular = "http://opds-spec.org/popular"
    /// The newest publications first.
    public static let sortNew = "http://opds-spec.org/sort/new"
    /// The most popular publications first.
    public static let sortPopular = "http://opds-spec.org/sort/popular"
    /// What the user has acquired.
    public static let shelf = "http://opds-spec.org/shelf"
    /// What the user has subscribed to.
    public static let subscriptions = "http://opds-spec.org/subscriptions"
    /// A feed of the whole catalogue for programs.
    public static let crawlable = "http://opds-spec.org/crawlable"

    /// The authentication document, in an HTTP `Link` field or a feed.
    public static let authenticationDocument = "http://opds-spec.org/auth/document"
    /// The address at which a login gets a token, in an authentication document.
    public static let authenticate = "authenticate"
    /// The address at which a token is renewed, in an authentication document.
    public static let refresh = "refresh"

    /// The pages of a publication one by one; see ``PageStreaming``.
    public static let pageStream = "http://vaemendis.net/opds-pse/stream"
}

extension Link {
    /// The first relation that is an ``AcquisitionRelation``; ``AcquisitionRelation/acquisition`` if the link has only
    /// an unknown one below it; nil if it has none.
    public var acquisitionRelation: AcquisitionRelation? {
        if let known = rels.lazy.compactMap(AcquisitionRelation.init(relation:)).first { return known }
        return rels.contains(where: AcquisitionRelation.isAcquisition) ? .acquisition : nil
    }
}
