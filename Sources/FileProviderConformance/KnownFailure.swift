extension Conformance {
    /// A behaviour that is known not to hold, because of what lies behind the provider, and why.
    ///
    /// Such a failure is reported as known and breaks no promise. It does when it starts to hold, unless it fails only
    /// at times: so a list of known failures stays true. As JSON it is
    /// `{"behaviour":…,"reason":…,"message":…,"sometimes":true}`, the last two only where needed.
    public struct KnownFailure: Sendable, Hashable {
        /// The name or the id of a ``Behaviour``, or of one of the run's own.
        public var behaviour: String
        /// What the server or storage does.
        public var reason: String
        /// Words in the sentence of the violation; with other words it is a failure that nobody knew. Nil for any.
        public var message: String?
        /// Whether it fails in some runs only. Where it holds, that is no news.
        public var isOccasional: Bool

        /// A failure of every run, with whatever message, unless said otherwise.
        public init(_ behaviour: String, reason: String, message: String? = nil, isOccasional: Bool = false) {
            self.behaviour = behaviour
            self.reason = reason
            self.message = message
            self.isOccasional = isOccasional
        }
    }
}

extension Conformance.KnownFailure: Codable {
    private enum CodingKeys: String, CodingKey {
        case behaviour
        case reason
        case message
        case sometimes
    }

    /// Reads the form above; keys that it does not know are passed over.
    ///
    /// - Throws: `DecodingError` without a behaviour or a reason.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .behaviour),
            reason: try container.decode(String.self, forKey: .reason),
            message: try container.decodeIfPresent(String.self, forKey: .message),
            isOccasional: try container.decodeIfPresent(Bool.self, forKey: .sometimes) ?? false)
    }

    /// Writes the form above; a message that is nil, and `sometimes` that is false, are left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(behaviour, forKey: .behaviour)
        try container.encode(reason, forKey: .reason)
        try container.encodeIfPresent(message, forKey: .message)
        if isOccasional { try container.encode(true, forKey: .sometimes) }
    }
}
