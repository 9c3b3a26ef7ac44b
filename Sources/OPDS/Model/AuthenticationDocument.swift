public import Foundation
public import MediaTypes
public import Publication

/// How to log in to a catalogue (Authentication for OPDS 1.0, section 2).
public struct AuthenticationDocument: Hashable, Sendable {
    /// The media type of authentication documents.
    public static let mediaType = MediaType.opdsAuthentication
    /// The largest document that is accepted, in bytes: 1 MiB.
    public static let largest = 1 << 20

    /// The address of the document, which identifies the catalogue; empty if the document has none.
    public var id: String
    /// The title of the catalogue. Text, whatever characters it holds.
    public var title: String
    /// A text for the user.
    public var description: String?
    /// Links for the user: `logo`, `register`, `help`.
    public var links: [Link]
    /// The ways to log in, in the catalogue's order.
    public var authentication: [Flow]
    /// The members that have no property here, unchanged.
    public var otherProperties: [String: JSONValue] = [:]

    /// A document with its required members.
    public init(id: String, title: String, authentication: [Flow], description: String? = nil, links: [Link] = []) {
        self.id = id
        self.title = title
        self.authentication = authentication
        self.description = description
        self.links = links
    }

    /// The first way to log in of that type, such as ``Flow/basic``.
    public func flow(_ type: String) -> Flow? {
        authentication.first { $0.type == type }
    }

    /// A way to log in (section 3.1).
    public struct Flow: Hashable, Sendable {
        /// Basic authentication (section 3.3).
        public static let basic = "http://opds-spec.org/auth/basic"
        /// OAuth 2.0 with a user name and a password (section 3.4.6).
        public static let oauthPassword = "http://opds-spec.org/auth/oauth/password"
        /// OAuth 2.0 with an implicit grant, which needs a web page (section 3.4.5).
        public static let oauthImplicit = "http://opds-spec.org/auth/oauth/implicit"

        /// The URI of the way, such as ``basic``.
        public var type: String
        /// Links to log in: `authenticate`, `refresh`.
        public var links: [Link]
        /// The names of the fields that the user fills in.
        public var labels: Labels?
        /// The members that have no property here, unchanged.
        public var otherProperties: [String: JSONValue] = [:]

        /// A way to log in.
        public init(type: String, links: [Link] = [], labels: Labels? = nil) {
            self.type = type
            self.links = links
            self.labels = labels
        }
    }

    /// The names of the fields that the user fills in (section 3.1.1).
    public struct Labels: Hashable, Sendable {
        /// The name of the field for the user name, such as "Library card".
        public var login: String?
        /// The name of the field for the password, such as "PIN".
        public var password: String?

        /// Names of fields.
        public init(login: String? = nil, password: String? = nil) {
            self.login = login
            self.password = password
        }
    }
}

extension AuthenticationDocument {
    /// Reads an authentication document. Members of the wrong kind and flows without a type are left out.
    ///
    /// - Parameter baseURL: The address of the document. Relative addresses become absolute with it.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if `json` has no list `authentication`.
    public init(json: JSONValue, baseURL: URL? = nil) throws {
        let base = CatalogBase(baseURL, linkCount: CatalogLimits().linksPerEntry)
        guard let flows = json["authentication"]?.arrayValue else {
            throw CocoaError.noCatalog(
                "The JSON document is not an authentication document: it has no list “authentication”.", url: baseURL)
        }
        self.init(
            id: json["id"]?.stringValue.map(base.absolute) ?? "",
            title: json["title"].flatMap(LocalizedString.init(catalog:))?.string ?? "",
            authentication: flows.compactMap { Flow(json: $0, base: base) },
            description: json["description"].flatMap(LocalizedString.init(catalog:))?.string,
            links: base.links(json["links"]))
        otherProperties = json.members(besides: ["id", "title", "description", "links", "authentication"])
    }

    /// Reads an authentication document from JSON text.
    ///
    /// - Parameter url: The address of the document. Relative addresses become absolute with it.
    /// - Throws: `CocoaError(.fileReadTooLarge)` over ``largest`` bytes; `CocoaError(.fileReadCorruptFile)` if `data`
    ///   is not JSON or has no list `authentication`.
    public init(data: Data, url: URL? = nil) throws {
        try self.init(json: JSONValue(data: data, maximumSize: Self.largest), baseURL: url)
    }

    /// The document as JSON.
    public var json: JSONValue {
        let own: [String: JSONValue?] = [
            "id": .string(id),
            "title": .string(title),
            "description": description.map(JSONValue.string),
            "links": .nonEmpty(links.map(\.json)),
            "authentication": .array(authentication.map(\.json)),
        ]
        return .object(present: own, others: otherProperties)
    }
}

extension AuthenticationDocument.Flow {
    init?(json: JSONValue, base: CatalogBase) {
        guard let type = json["type"]?.stringValue else { return nil }
        self.init(type: type, links: base.links(json["links"]))
        if let names = json["labels"], names.objectValue != nil {
            labels = AuthenticationDocument.Labels(
                login: names["login"]?.stringValue, password: names["password"]?.stringValue)
        }
        otherProperties = json.members(besides: ["type", "links", "labels"])
    }

    /// The authentication object.
    public var json: JSONValue {
        let names: JSONValue? = labels.map {
            .object(present: [
                "login": $0.login.map(JSONValue.string), "password": $0.password.map(JSONValue.string),
            ])
        }
        return .object(
            present: ["type": .string(type), "links": .nonEmpty(links.map(\.json)), "labels": names],
            others: otherProperties)
    }
}
