extension Link {
    /// Facts about a resource that the manifest leaves open to extensions (`properties` of a link object).
    public struct Properties: Hashable, Sendable {
        /// The properties by name.
        public var values: [String: JSONValue]

        /// Properties by name.
        public init(_ values: [String: JSONValue] = [:]) {
            self.values = values
        }

        /// The property called `name`, nil if there is none. Setting nil removes it.
        public subscript(name: String) -> JSONValue? {
            get { values[name] }
            set { values[name] = newValue }
        }
    }
}

extension Link.Properties: ExpressibleByDictionaryLiteral {
    /// Of a repeated name the first value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(Dictionary(elements, uniquingKeysWith: { first, _ in first }))
    }
}

extension Link.Properties {
    /// The side of a spread that a page lies on.
    public enum Page: String, Hashable, Sendable {
        /// The left page.
        case left
        /// The right page.
        case right
        /// Both pages, or neither.
        case center
    }

    /// The side of a spread that the resource lies on (`page`).
    public var page: Page? {
        get { self["page"]?.stringValue.flatMap(Page.init(rawValue:)) }
        set { self["page"] = newValue.map { .string($0.rawValue) } }
    }

    /// How the resource is laid out, if not as the publication is (`layout`).
    public var layout: Metadata.Layout? {
        get { self["layout"]?.stringValue.flatMap(Metadata.Layout.init(rawValue:)) }
        set { self["layout"] = newValue.map { .string($0.rawValue) } }
    }

    /// What the resource contains that its media type does not tell, such as `mathml` (EPUB profile, `contains`).
    public var contains: [String] {
        get { self["contains"]?.strings ?? [] }
        set { self["contains"] = .nonEmpty(newValue.map(JSONValue.string)) }
    }

    /// How the resource is encrypted or obfuscated (`encrypted`).
    public var encryption: Encryption? {
        get { self["encrypted"].flatMap(Encryption.init(json:)) }
        set { self["encrypted"] = newValue?.json }
    }
}
