/// What a publication offers to its readers and demands of them (Readium Web Publication Manifest, accessibility
/// object).
///
/// Values are kept as text, because the vocabularies of schema.org and EPUB Accessibility grow.
public struct Accessibility: Hashable, Sendable {
    /// The addresses of the profiles it conforms to.
    public var conformsTo: [String] = []
    /// The legal ground on which the publication is exempt, such as `eaa-microenterprise`.
    public var exemption: String?
    /// The senses that the content uses, such as `textual`.
    public var accessModes: [String] = []
    /// Sets of senses, each of which suffices to take in the content.
    public var accessModesSufficient: [[String]] = []
    /// The features that help readers, such as `displayTransformability`.
    public var features: [String] = []
    /// The hazards for readers, such as `flashing`.
    public var hazards: [String] = []
    /// The certification, if somebody checked the publication.
    public var certification: Certification?
    /// A summary for people to read.
    public var summary: String?
    /// The members that have no property here, unchanged.
    public var otherProperties: [String: JSONValue] = [:]

    /// Who vouches for the accessibility of a publication.
    public struct Certification: Hashable, Sendable {
        /// The name of the certifier.
        public var certifiedBy: String?
        /// The certifier's credential.
        public var credential: String?
        /// The address of the certifier's report.
        public var report: String?
        /// The members that have no property here, unchanged.
        public var otherProperties: [String: JSONValue] = [:]

        /// A certification, all members of which are optional.
        public init(certifiedBy: String? = nil, credential: String? = nil, report: String? = nil) {
            self.certifiedBy = certifiedBy
            self.credential = credential
            self.report = report
        }
    }

    /// An empty statement.
    public init() {}
}

extension Accessibility {
    /// Reads an accessibility object; nil if `json` is not an object. Members of the wrong kind are ignored.
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
