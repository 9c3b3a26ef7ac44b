/// What a publication offers and demands of its readers (Readium Web Publication Manifest, accessibility object).
///
/// Values are kept as text, because the vocabularies of schema.org and EPUB Accessibility grow.
public struct Accessibility: Hashable, Sendable {
    /// The addresses of the profiles it conforms to.
    public var conformsTo: [String] = []
    /// Why the law lets it off, such as `eaa-microenterprise`.
    public var exemption: String?
    /// The senses that the content uses, such as `textual`.
    public var accessModes: [String] = []
    /// Each a set of senses that together suffice to take the content in.
    public var accessModesSufficient: [[String]] = []
    /// What helps, such as `displayTransformability`.
    public var features: [String] = []
    /// What may hurt, such as `flashing`.
    public var hazards: [String] = []
    /// Who checked it.
    public var certification: Certification?
    /// The same for people to read.
    public var summary: String?
    /// Every member that has no property here, as it came.
    public var otherProperties: [String: JSONValue] = [:]

    /// Who vouches for the accessibility of a publication.
    public struct Certification: Hashable, Sendable {
        /// The name of who checked it.
        public var certifiedBy: String?
        /// What entitles them to.
        public var credential: String?
        /// The address of their report.
        public var report: String?
        /// Every member that has no property here, as it came.
        public var otherProperties: [String: JSONValue] = [:]

        /// A certification of which everything may be unknown.
        public init(certifiedBy: String? = nil, credential: String? = nil, report: String? = nil) {
            self.certifiedBy = certifiedBy
            self.credential = credential
            self.report = report
        }
    }

    /// A statement that says nothing yet.
    public init() {}
}

extension Accessibility {
    /// Reads an accessibility object; nil if `json` is none. What has the wrong kind is passed over.
    public init?(json: JSONValue) {
        guard json.objectValue != nil else { return nil }
        conformsTo = json["conformsTo"]?.strings ?? []
        exemption = json["exemption"]?.stringValue
        accessModes = json["accessMode"]?.strings ?? []
        accessModesSufficient = (json["accessModeSufficient"]?.oneOrMany ?? []).map(\.strings).filter { !$0.isEmpty }
        features = json["feature"]?.strings ?? []
        hazards = json["hazard"]?.strings ?? []
        summary = json["summary"]?.stringValue
        certification = json["certification"].flatMap(Certification.init(json:))
        otherProperties = json.members(besides: Self.keys)
    }

    /// The accessibility object.
    public var json: JSONValue {
        let own: [String: JSONValue?] = [
            "conformsTo": .oneOrMany(conformsTo),
            "exemption": exemption.map(JSONValue.string),
            "accessMode": .nonEmpty(accessModes.map(JSONValue.string)),
            "accessModeSufficient": .nonEmpty(accessModesSufficient.compactMap { JSONValue.oneOrMany($0) }),
            "feature": .nonEmpty(features.map(JSONValue.string)),
            "hazard": .nonEmpty(hazards.map(JSONValue.string)),
            "certification": certification?.json,
            "summary": summary.map(JSONValue.string),
        ]
        return .object(present: own, others: otherProperties)
    }

    private static let keys: Set<String> = [
        "conformsTo", "exemption", "accessMode", "accessModeSufficient", "feature", "hazard", "certification",
        "summary",
    ]
}

extension Accessibility.Certification {
    fileprivate init?(json: JSONValue) {
        guard json.objectValue != nil else { return nil }
        self.init(
            certifiedBy: json["certifiedBy"]?.stringValue, credential: json["credential"]?.stringValue,
            report: json["report"]?.stringValue)
        otherProperties = json.members(besides: ["certifiedBy", "credential", "report"])
    }

    fileprivate var json: JSONValue {
        let own: [String: JSONValue?] = [
            "certifiedBy": certifiedBy.map(JSONValue.string),
            "credential": credential.map(JSONValue.string),
            "report": report.map(JSONValue.string),
        ]
        return .object(present: own, others: otherProperties)
    }
}
