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

extension Link.Properties {
    /// What the archive around a resource tells of it.
    public struct Archive: Hashable, Sendable {
        /// The bytes that the entry takes in the archive, packed as it is there.
        public var entryLength: Int64
        /// Whether the entry is packed.
        public var isEntryCompressed: Bool

        /// What an archive's directory says.
        public init(entryLength: Int64, isEntryCompressed: Bool) {
            self.entryLength = entryLength
            self.isEntryCompressed = isEntryCompressed
        }
    }

    /// What the archive around the resource tells (`archive`); nil if it lies in none, or the length is negative.
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
    /// How many bytes the resource takes where it lies, as far as the link tells: as an archive's entry, else its
    /// ``size``. Nothing is asked of a server, so that positions of a remote publication cost no request.
    public var storedLength: Int64? { properties.archive?.entryLength ?? size }
}
