import FileProviderCore
import Foundation

/// Decodes options from a configuration file: `{"direction": "twoWay", "filter": ["- *.tmp"], "removalLimit": "25%",
/// "bandwidth": "512K"}`.
///
/// Missing keys have their default values; unknown keys are an error. `filter` is an array of rules, `removalLimit` and
/// `bandwidth` are strings, and `trashDays` is ``SyncOptions/trashAge`` in days, or null. All other keys have the names
/// of their properties.
extension SyncOptions: Decodable {
    private enum Key: String, CodingKey, CaseIterable {
        case direction, deletes, removalLimit, filter, links, comparesContent, ignoresListedSizes, keepsReplaced,
            trashDays, transfers, bandwidth
    }

    /// - Throws: `DecodingError` whose debug description is a sentence.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(ofKnown: Key.self, in: "a pair's options")
        self.init(direction: try values.decodeIfPresent(Direction.self, forKey: .direction) ?? .mirror)
        deletes = try values.decodeIfPresent(Bool.self, forKey: .deletes) ?? deletes
        removalLimit = try values.read(.removalLimit) { try RemovalLimit($0) } ?? removalLimit
        filter = try values.read(.filter) { try SyncFilter($0) } ?? filter
        links = try values.decodeIfPresent(Links.self, forKey: .links) ?? links
        comparesContent = try values.decodeIfPresent(Bool.self, forKey: .comparesContent) ?? comparesContent
        ignoresListedSizes = try values.decodeIfPresent(Bool.self, forKey: .ignoresListedSizes) ?? ignoresListedSizes
        keepsReplaced = try values.decodeIfPresent(Bool.self, forKey: .keepsReplaced) ?? keepsReplaced
        if values.contains(.trashDays) { trashAge = try values.time(.trashDays).map { $0 * 86_400 } }
        transfers = try values.decodeIfPresent(Int.self, forKey: .transfers)
        bandwidth = try values.read(.bandwidth) { try BandwidthTimetable($0) }
    }
}

/// Decodes seconds, as in `{"quiet": 2, "rescan": 3600, "poll": 60}`. Missing keys have their default values; unknown
/// keys are an error.
///
/// `poll` and `alwaysPolls` belong to ``SyncServiceOptions/watch``; all other keys have the names of their properties.
extension SyncServiceOptions: Decodable {
    private enum Key: String, CodingKey, CaseIterable {
        case quiet, longestWait, rescan, firstPause, longestPause, poll, alwaysPolls
    }

    /// - Throws: `DecodingError` whose debug description is a sentence.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(ofKnown: Key.self, in: "a service's options")
        self.init()
        quiet = try values.time(.quiet) ?? quiet
        longestWait = try values.time(.longestWait) ?? longestWait
        rescan = try values.time(.rescan) ?? rescan
        firstPause = try values.time(.firstPause) ?? firstPause
        longestPause = try values.time(.longestPause) ?? longestPause
        watch.maxInterval = try values.time(.poll) ?? watch.maxInterval
        watch.alwaysPolls = try values.decodeIfPresent(Bool.self, forKey: .alwaysPolls) ?? watch.alwaysPolls
    }
}

extension KeyedDecodingContainer {
    /// Decodes a value from its text form. An error keeps its sentence and gains the coding path.
    fileprivate func read<Text: Decodable, Value>(_ key: Key, _ read: (Text) throws -> Value) throws -> Value? {
        guard let text = try decodeIfPresent(Text.self, forKey: key) else { return nil }
        do { return try read(text) } catch {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: error.sentence)
        }
    }

    /// Decodes a time in seconds, greater than 0.
    fileprivate func time(_ key: Key) throws -> Double? {
        guard let time = try decodeIfPresent(Double.self, forKey: key) else { return nil }
        if (0.001...1e7).contains(time) { return time }
        throw DecodingError.dataCorruptedError(
            forKey: key, in: self, debugDescription: "“\(key.stringValue)” must be between 0.001 and 10000000.")
    }
}
