extension Conformance {
    /// A behaviour that is known to fail because of the server or storage behind the provider, and the reason.
    ///
    /// Such a failure is reported as known, and is no violation. It becomes one when the behaviour starts to hold,
    /// unless it fails only occasionally, so that a list of known failures stays true. As JSON it is
    /// `{"behaviour":…,"reason":…,"message":…,"sometimes":true}`, the last two only if needed.
    public struct KnownFailure: Sendable, Hashable {
        /// The name or the id of a ``Behaviour``, or of one of the run's own.
        public var behaviour: String
        /// What the server or storage does.
        public var reason: String
        /// A part of the violation's sentence; a failure with another sentence is not known. Nil for any.
        public var message: String?
        /// Whether it fails in some runs only. It may then hold without a report.
        public var isOccasional: Bool

        /// Creates a known failure; by default of every run, with any message.
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

    /// Reads the form above; ignores unknown keys.
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

    /// Writes the form above; leaves out a message that is nil, and `sometimes` that is false.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(behaviour, forKey: .behaviour)
        try container.encode(reason, forKey: .reason)
        try container.encodeIfPresent(message, forKey: .message)
        if isOccasional { try container.encode(true, forKey: .sometimes) }
    }
}
