extension Locator {
    /// The position of a place in a resource, or in the whole publication.
    public struct Locations: Hashable, Sendable {
        /// Fragments that lead to the place, each percent-encoded and without `#`.
        public var fragments: [String]
        /// The part of the resource that lies before the place, from 0 to 1. Values outside are clamped; not-a-number
        /// becomes nil.
        public var progression: Double? {
            didSet { progression = Self.clamped(progression) }
        }
        /// The part of the publication that lies before the place, from 0 to 1; clamped as ``progression`` is.
        public var totalProgression: Double? {
            didSet { totalProgression = Self.clamped(totalProgression) }
        }
        /// The number of the place among the publication's positions, counted from 1. Lower values become 1.
        public var position: Int? {
            didSet { position = position.map { max(1, $0) } }
        }
        /// The other members, such as `domRange`, unchanged.
        public var otherLocations: [String: JSONValue]

        /// Locations, all members of which are optional; numbers are clamped to their bounds.
        public init(
            fragments: [String] = [], progression: Double? = nil, position: Int? = nil, totalProgression: Double? = nil,
            otherLocations: [String: JSONValue] = [:]
        ) {
            self.fragments = fragments
            self.progression = Self.clamped(progression)
            self.position = position.map { max(1, $0) }
            self.totalProgression = Self.clamped(totalProgression)
            self.otherLocations = otherLocations
        }

        private static func clamped(_ progression: Double?) -> Double? {
            progression.flatMap { $0.isNaN ? nil : min(max($0, 0), 1) }
        }
    }
}

extension Locator.Locations {
    /// The CSS selector of the element at the place (`cssSelector`, HTML extension).
    public var cssSelector: String? {
        get { otherLocations["cssSelector"]?.stringValue }
        set { otherLocations["cssSelector"] = newValue.map(JSONValue.string) }
    }

    /// The part of an EPUB CFI after the step into the resource (`partialCfi`, HTML extension).
    public var partialCFI: String? {
        get { otherLocations["partialCfi"]?.stringValue }
        set { otherLocations["partialCfi"] = newValue.map(JSONValue.string) }
    }

    /// Reads a locations object; empty if `json` is not one. Numbers out of bounds are ignored.
    init(json: JSONValue) {
        self.init(
            // Older documents have a single fragment.
            fragments: (json["fragments"] ?? json["fragment"])?.strings ?? [],
            progression: Self.progression(json["progression"]),
            position: json["position"]?.positiveInteger.flatMap(Int.init(exactly:)),
            totalProgression: Self.progression(json["totalProgression"]),
            otherLocations: json.members(besides: [
                "fragments", "fragment", "progression", "position", "totalProgression",
            ]))
    }

    var json: JSONValue {
        let own: [String: JSONValue?] = [
            "fragments": .nonEmpty(fragments.map(JSONValue.string)),
            "progression": progression.map { JSONValue($0) },
            "position": position.map { .integer(Int64($0)) },
            "totalProgression": totalProgression.map { JSONValue($0) },
        ]
        return .object(present: own, others: otherLocations)
    }

    private static func progression(_ json: JSONValue?) -> Double? {
        json?.doubleValue.flatMap { (0...1).contains($0) ? $0 : nil }
    }
}
