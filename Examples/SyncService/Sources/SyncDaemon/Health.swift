import Foundation
import Sync

/// The state of all pairs, as in the health file.
struct Health: Codable {
    var written: Date
    /// Seconds within which the file is written again.
    var interval: Double
    var pairs: [String: SyncMetrics]

    /// Whether the daemon is alive, and each pair in step or on its way there.
    func isGood(at date: Date) -> Bool {
        let age = date.timeIntervalSince(written)
        return age <= 3 * interval + 10 && pairs.values.allSatisfy(\.isGood)
    }

    func write(to file: String) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: URL(fileURLWithPath: file), options: .atomic)
    }

    static func read(_ file: String) throws -> (text: String, health: Health) {
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return (String(decoding: data, as: UTF8.self), try decoder.decode(Health.self, from: data))
    }
}
