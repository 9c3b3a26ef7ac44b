import FileProviderCore
import Foundation
public import Sync

/// Two folders that a fleet keeps in step: a row of its database, without secrets.
public struct FleetPair: Codable, Equatable, Sendable {
    /// The pair's name, unique in the fleet; at most 1,000 bytes.
    public var name: String
    /// The owner, such as a user of the service. Owners take turns, however many pairs each has.
    public var owner = ""
    /// The location of the source: a URL without password and query.
    public var source: String
    /// The location of the destination, like ``source``.
    public var destination: String
    /// The name under which a worker finds the secret of ``source``; nil if it needs none.
    public var sourceCredential: String?
    /// The name under which a worker finds the secret of ``destination``; nil if it needs none.
    public var destinationCredential: String?
    /// The options of the synchronisation as a JSON object, as `SyncOptions` decodes them.
    public var options = "{}"
    /// Seconds from the end of a run to the next one; 0 to 100 years.
    public var every: Double = 3600
    /// Seconds after which a run is ended; nil for no limit.
    public var deadline: Double?
    /// Pairs with a higher priority are taken first, whatever their owner.
    public var priority = 0

    /// A pair with these folders, one run an hour and default options.
    public init(name: String, source: String, destination: String) {
        self.name = name
        self.source = source
        self.destination = destination
    }

    /// The decoded ``options``.
    ///
    /// - Throws: `DecodingError` for text that is no such object.
    public func syncOptions() throws -> SyncOptions {
        try JSONDecoder().decode(SyncOptions.self, from: Data(options.utf8))
    }
}

extension FleetPair {
    private enum Key: String, CodingKey, CaseIterable {
        case name, owner, source, destination, sourceCredential, destinationCredential, options, every, deadline,
            priority
    }

    /// Decodes a pair; missing keys other than `name`, `source` and `destination` have their default values.
    ///
    /// - Throws: `DecodingError`, also for an unknown key.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(ofKnown: Key.self, in: "a fleet's pair")
        self.init(
            name: try values.decode(String.self, forKey: .name),
            source: try values.decode(String.self, forKey: .source),
            destination: try values.decode(String.self, forKey: .destination))
        owner = try values.decodeIfPresent(String.self, forKey: .owner) ?? owner
        sourceCredential = try values.decodeIfPresent(String.self, forKey: .sourceCredential)
        destinationCredential = try values.decodeIfPresent(String.self, forKey: .destinationCredential)
        options = try values.decodeIfPresent(String.self, forKey: .options) ?? options
        every = try values.decodeIfPresent(Double.self, forKey: .every) ?? every
        deadline = try values.decodeIfPresent(Double.self, forKey: .deadline)
        priority = try values.decodeIfPresent(Int.self, forKey: .priority) ?? priority
    }

    /// Encodes all properties that have a value.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(name, forKey: .name)
        try values.encode(owner, forKey: .owner)
        try values.encode(source, forKey: .source)
        try values.encode(destination, forKey: .destination)
        try values.encodeIfPresent(sourceCredential, forKey: .sourceCredential)
        try values.encodeIfPresent(destinationCredential, forKey: .destinationCredential)
        try values.encode(options, forKey: .options)
        try values.encode(every, forKey: .every)
        try values.encodeIfPresent(deadline, forKey: .deadline)
        try values.encode(priority, forKey: .priority)
    }
}
