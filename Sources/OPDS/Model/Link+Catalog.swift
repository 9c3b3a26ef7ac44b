public import Publication

/// The properties of links in catalogues (OPDS 2.0, properties). Setting nil removes one.
extension Link.Properties {
    /// The number of items behind the link (`numberOfItems`); nil if it is not a count.
    public var numberOfItems: Int? {
        get { self["numberOfItems"]?.count }
        set { self["numberOfItems"] = .count(newValue) }
    }

    /// The price (`price`).
    public var price: Price? {
        get { self["price"].flatMap(Price.init(json:)) }
        set { self["price"] = newValue?.json }
    }

    /// What the link leads to after further steps (`indirectAcquisition`); if there are several, one of them.
    public var indirectAcquisitions: [IndirectAcquisition] {
        get { (self["indirectAcquisition"]?.oneOrMany ?? []).compactMap(IndirectAcquisition.init(json:)) }
        set { self["indirectAcquisition"] = .nonEmpty(newValue.map(\.json)) }
    }

    /// Whether the publication can be acquired at present (`availability`).
    public var availability: Availability? {
        get { self["availability"].flatMap(Availability.init(json:)) }
        set { self["availability"] = newValue?.json }
    }

    /// How many users have reserved the publication (`holds`).
    public var holds: Holds? {
        get { self["holds"].flatMap(Holds.init(json:)) }
        set { self["holds"] = newValue?.json }
    }

    /// How many copies of the publication the library has (`copies`).
    public var copies: Copies? {
        get { self["copies"].flatMap(Copies.init(json:)) }
        set { self["copies"] = newValue?.json }
    }

    /// The authentication document for the link (`authenticate`; Authentication for OPDS 1.0).
    public var authenticate: Link? {
        get { self["authenticate"].flatMap { try? Link(json: $0) } }
        set { self["authenticate"] = newValue?.json }
    }

    /// How pages are requested one by one (`pageStreaming`).
    public var pageStreaming: PageStreaming? {
        get { self["pageStreaming"].flatMap(PageStreaming.init(json:)) }
        set { self["pageStreaming"] = newValue?.json }
    }
}
