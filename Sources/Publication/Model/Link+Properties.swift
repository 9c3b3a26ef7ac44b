import Archives

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
    /// If a name is repeated, its first value counts.
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

    /// Kinds of content that the media type doesn't show, such as `mathml` (EPUB profile, `contains`).
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

extension Link.Properties {
    /// What the archive that holds a resource says about it.
    public struct Archive: Hashable, Sendable {
        /// The packed size of the entry in bytes.
        public var entryLength: Int64
        /// Whether the entry is packed.
        public var isEntryCompressed: Bool

        /// The values from an archive's directory.
        public init(entryLength: Int64, isEntryCompressed: Bool) {
            self.entryLength = entryLength
            self.isEntryCompressed = isEntryCompressed
        }
    }

    /// What the archive's directory says about the resource (`archive`); nil if it is not in an archive, or the length
    /// is negative.
    public var archive: Archive? {
        get {
            guard let length = self["archive"]?["entryLength"]?.integerValue, length >= 0 else { return nil }
            return Archive(
                entryLength: length, isEntryCompressed: self["archive"]?["isEntryCompressed"]?.boolValue ?? false)
        }
        set {
            self["archive"] = newValue.map {
                ["entryLength": .integer($0.entryLength), "isEntryCompressed": .bool($0.isEntryCompressed)]
            }
        }
    }
}

extension Link {
    /// The size of the resource as stored, in bytes: its packed size in an archive, else its ``size``; nil if the link
    /// has neither. Reads only the link, so positions of a remote publication cost no request.
    public var storedLength: Int64? { properties.archive?.entryLength ?? size }
}
