/// Whether a publication may be mined for text and data (Readium Web Publication Manifest, `tdm`; TDM Reservation
/// Protocol, W3C).
public struct TextAndDataMining: Hashable, Sendable {
    /// Which rights the holder keeps.
    public var reservation: Reservation
    /// The address of the policy under which mining is allowed.
    public var policy: String?
    /// The members that have no property here, unchanged.
    public var otherProperties: [String: JSONValue] = [:]

    /// Which rights to text and data mining are reserved.
    public enum Reservation: String, Hashable, Sendable {
        /// All: mining needs permission.
        case all
        /// None: mining is free.
        case nothing = "none"
    }

    /// A reservation, with the address of its policy.
    public init(reservation: Reservation, policy: String? = nil) {
        self.reservation = reservation
        self.policy = policy
    }

    /// Reads a `tdm` object; nil without a known reservation.
    public init?(json: JSONValue) {
        guard let reservation = json["reservation"]?.stringValue.flatMap(Reservation.init(rawValue:)) else {
            return nil
        }
        self.init(reservation: reservation, policy: json["policy"]?.stringValue)
        otherProperties = json.members(besides: ["reservation", "policy"])
    }

    /// The `tdm` object.
    public var json: JSONValue {
        .object(
            present: ["reservation": .string(reservation.rawValue), "policy": policy.map(JSONValue.string)],
            others: otherProperties)
    }
}
