import Carrel
import Foundation
import Logging
import Sync

/// The contents of the configuration file: no secrets, and no unknown keys.
struct Configuration: Decodable {
    private enum Key: String, CodingKey, CaseIterable {
        case state, health, healthInterval, prometheus, logLevel, pairs
    }

    /// The folder of the state files; nil for `$STATE_DIRECTORY`.
    let state: String?
    /// The health file; nil for `health.json` in `$RUNTIME_DIRECTORY`.
    let health: String?
    /// Seconds between two writes of the health file while nothing happens.
    let healthInterval: Double
    /// A file for the textfile collector of Prometheus' node exporter.
    let prometheus: String?
    let logLevel: Logger.Level
    let pairs: [Pair]

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(ofKnown: Key.self, in: "the configuration")
        state = try values.decodeIfPresent(String.self, forKey: .state)
        health = try values.decodeIfPresent(String.self, forKey: .health)
        healthInterval = try values.decodeIfPresent(Double.self, forKey: .healthInterval) ?? 30
        prometheus = try values.decodeIfPresent(String.self, forKey: .prometheus)
        logLevel = try values.decodeIfPresent(Logger.Level.self, forKey: .logLevel) ?? .info
        pairs = try values.decode([Pair].self, forKey: .pairs)
        let damage = { values.damage($0, $1) }
        if !(1...86_400).contains(healthInterval) {
            throw damage(.healthInterval, "It must be between 1 and 86400 seconds.")
        }
        if pairs.isEmpty { throw damage(.pairs, "There is none.") }
        if let name = pairs.map(\.name).first(where: { !NamedConnections.isName($0) }) {
            throw damage(.pairs, "“\(name)” is not a name: use letters, digits and + - . _ only.")
        }
        // Names of variables in the environment know no case, and letters and digits alone.
        if Set(pairs.map { SyncDaemon.variable($0.name) }).count < pairs.count {
            throw damage(.pairs, "Two of them have names that differ only in case or punctuation, or not at all.")
        }
    }
}

/// Two folders that are kept in step.
struct Pair: Decodable {
    private enum Key: String, CodingKey, CaseIterable {
        case name, source, destination, options, service
    }

    let name: String
    let source: ProviderConfiguration
    let destination: ProviderConfiguration
    let options: SyncOptions
    let service: SyncServiceOptions

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(ofKnown: Key.self, in: "a pair")
        name = try values.decode(String.self, forKey: .name)
        source = try values.decode(ProviderConfiguration.self, forKey: .source)
        destination = try values.decode(ProviderConfiguration.self, forKey: .destination)
        options = try values.decodeIfPresent(SyncOptions.self, forKey: .options) ?? SyncOptions()
        service = try values.decodeIfPresent(SyncServiceOptions.self, forKey: .service) ?? SyncServiceOptions()
    }
}

extension KeyedDecodingContainer {
    fileprivate func damage(_ key: Key, _ sentence: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: sentence)
    }
}
