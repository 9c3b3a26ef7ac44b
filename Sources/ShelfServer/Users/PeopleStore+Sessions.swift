import Foundation
import GRDB
import SQLiteStorage

/// Sessions that ended by logging out. The others are not kept: their cookies prove them.
extension PeopleStore {
    /// Ends a session, also for copies of its cookie, and forgets the ended ones that would be too old by now.
    func end(_ session: Session) async throws {
        let (id, expires) = (session.id, session.issued + Session.lifetime)
        let now = Int64(now().timeIntervalSince1970)
        try await database.write { db in
            try db.execute(sql: "DELETE FROM ended WHERE expires <= ?", arguments: [now])
            try db.execute(
                sql: "INSERT INTO ended (session, expires) VALUES (?, ?) ON CONFLICT DO NOTHING",
                arguments: [id, expires])
        }
    }

    /// Returns whether `session` was ended.
    func hasEnded(_ session: Session) async throws -> Bool {
        let id = session.id
        return try await database.read { db in
            let sql = "SELECT EXISTS (SELECT 1 FROM ended WHERE session = ?)"
            return try Bool.fetchOne(db, sql: sql, arguments: [id]) ?? false
        }
    }
}
