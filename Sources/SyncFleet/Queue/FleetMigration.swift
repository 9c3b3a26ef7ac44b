import Cryptography
import Foundation

/// A step of the database's schema. Once released, a migration never changes: a change is a new one.
struct FleetMigration: Sendable {
    /// Counts from 1, without gaps.
    let number: Int
    /// Several SQL commands, run with the schema as the only one to look in.
    let sql: String

    /// The SHA-256 of ``sql`` in hexadecimal digits.
    var checksum: String { Digest(.sha256, of: Data(sql.utf8)).hexadecimal }

    /// All migrations, in order.
    static let all = [tables, gates, workers, owners]
}
