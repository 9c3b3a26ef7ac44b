/// A pair with the names that the function `add` of the database expects.
struct FleetPairRow: Encodable {
    private let pair: FleetPair

    init(_ pair: FleetPair) {
        self.pair = pair
    }

    private enum Key: String, CodingKey {
        case name, owner, source, destination, options, every, deadline, priority, gates
        case sourceCredential = "source_credential"
        case destinationCredential = "destination_credential"
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(pair.name, forKey: .name)
        try values.encode(pair.owner, forKey: .owner)
        try values.encode(pair.source, forKey: .source)
        try values.encode(pair.destination, forKey: .destination)
        try values.encodeIfPresent(pair.sourceCredential, forKey: .sourceCredential)
        try values.encodeIfPresent(pair.destinationCredential, forKey: .destinationCredential)
        try values.encode(pair.options, forKey: .options)
        try values.encode(pair.every, forKey: .every)
        try values.encodeIfPresent(pair.deadline, forKey: .deadline)
        try values.encode(pair.priority, forKey: .priority)
        try values.encode(pair.gates, forKey: .gates)
    }
}
