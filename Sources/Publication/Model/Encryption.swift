/// How a resource is encrypted or obfuscated (Readium Web Publication Manifest, encryption module).
public struct Encryption: Hashable, Sendable {
    /// The URI of the algorithm.
    public var algorithm: String
    /// How the resource was compressed before, such as `deflate`.
    public var compression: String?
    /// The length in bytes before compression and encryption.
    public var originalLength: Int64?
    /// The URI of the encryption profile.
    public var profile: String?
    /// The URI of the scheme, such as that of Readium LCP.
    public var scheme: String?
    /// The members that have no property here, unchanged.
    public var otherProperties: [String: JSONValue] = [:]

    /// Encryption with an algorithm.
    public init(
        algorithm: String, compression: String? = nil, originalLength: Int64? = nil, profile: String? = nil,
        scheme: String? = nil
    ) {
        self.algorithm = algorithm
        self.compression = compression
        self.originalLength = originalLength
        self.profile = profile
        self.scheme = scheme
    }

    /// Reads an `encrypted` object; nil if it names no algorithm.
    public init?(json: JSONValue) {
        guard let algorithm = json["algorithm"]?.stringValue else { return nil }
        self.init(
            algorithm: algorithm, compression: json["compression"]?.stringValue,
            // Older writers say "original-length".
            originalLength: (json["originalLength"] ?? json["original-length"])?.positiveInteger,
            profile: json["profile"]?.stringValue, scheme: json["scheme"]?.stringValue)
        otherProperties = json.members(besides: [
            "algorithm", "compression", "originalLength", "original-length", "profile", "scheme",
        ])
    }

    /// The `encrypted` object.
    public var json: JSONValue {
        let own: [String: JSONValue?] = [
            "algorithm": .string(algorithm),
            "compression": compression.map(JSONValue.string),
            "originalLength": .positive(originalLength),
            "profile": profile.map(JSONValue.string),
            "scheme": scheme.map(JSONValue.string),
        ]
        return .object(present: own, others: otherProperties)
    }
}
