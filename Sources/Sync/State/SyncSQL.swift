import FileProviderCore
import Foundation
import GRDB

/// SQL statements and the decoding of their rows.
///
/// In `found`, a negative type marks an item that is gone; its other columns describe what it was.
enum SyncSQL {
    // MARK: Values

    static func code(_ type: FileType) -> Int {
        switch type {
        case .regular: 1
        case .directory: 2
        case .symbolicLink: 3
        case .other: 4
        }
    }

    static func type(_ code: Int) -> FileType {
        switch abs(code) {
        case 1: .regular
        case 2: .directory
        case 3: .symbolicLink
        default: .other
        }
    }

    /// Decodes an item from six columns beginning at `start`: type, size, time, tag, identity, whether a listing said
    /// so.
    static func item(_ row: Row, from start: Int) -> SyncItem {
        var item = SyncItem(
            type: type(row[start]), size: row[start + 1], time: row[start + 2], tag: row[start + 3],
            identity: row[start + 4])
        item.isListed = row[start + 5]
        return item
    }

    static func arguments(_ path: ProviderPath, _ agreed: AgreedItem) -> StatementArguments {
        let (one, other) = (agreed.items.source, agreed.items.destination)
        return [
            SyncKey.data(path), code(one.type), agreed.hash, SyncKey.folded(path), one.size, one.time, one.tag,
            one.identity,
            one.isListed, other.size, other.time, other.tag, other.identity, other.isListed,
        ]
    }

    // MARK: Listings

    static func agreedSide(_ side: SyncSide) -> String {
        let number = side.rawValue
        return
            "SELECT id, type, size\(number), time\(number), tag\(number), identity\(number), listed\(number) FROM item WHERE key = ?"
    }

    static let insertFound = """
        INSERT OR IGNORE INTO found (key, side, type, size, time, tag, identity, hash, folded) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    static func insertGone(_ side: SyncSide) -> String {
        let number = side.rawValue
        return """
            INSERT OR REPLACE INTO found (key, side, type, size, time, tag, identity, hash, folded)
            SELECT key, \(number), -type, size\(number), time\(number), tag\(number), identity\(number), hash, folded FROM item WHERE id = ?
            """
    }

    /// Stores what a listing says about an item that a sync wrote before.
    static func updateSide(_ side: SyncSide) -> String {
        let number = side.rawValue
        return
            "UPDATE item SET time\(number) = ?, tag\(number) = ?, identity\(number) = ?, listed\(number) = 1 WHERE id = ?"
    }

    static let claimKept = """
        INSERT INTO found (key, side, type, size, time, tag, identity, hash, folded)
        SELECT i.key, 1, i.type, i.size1, i.time1, i.tag1, i.identity1, NULL, i.folded FROM item i
        JOIN found g ON g.key = i.key AND g.side = 0 AND g.type < 0
        WHERE i.type <> 2 AND NOT EXISTS (SELECT 1 FROM found h WHERE h.key = i.key AND h.side = 1)
        """

    /// Voids what the other side has or lost at the paths where steps of four kinds are taken on `side`.
    static func voidCauses(of side: SyncSide) -> String { void(side.other, keys: causes(of: side)) }

    /// Lists the unchanged items among those: once the state no longer describes them, the listing must.
    static func listCauses(of side: SyncSide) -> String {
        let number = side.other.rawValue
        return """
            INSERT INTO found (key, side, type, size, time, tag, identity, hash, folded)
            SELECT i.key, \(number), i.type, i.size\(number), i.time\(number), i.tag\(number), i.identity\(number), NULL, i.folded FROM item i
            WHERE i.type <> 2 AND i.key IN (\(causes(of: side)))
            AND NOT EXISTS (SELECT 1 FROM found f WHERE f.key = i.key AND f.side = \(number))
            """
    }

    private static func causes(of side: SyncSide) -> String {
        "SELECT key FROM action WHERE side = \(side.rawValue) AND kind IN (?, ?, ?, ?)"
    }

    static let keepClaims = void(.destination, keys: "SELECT key FROM found WHERE side = 0 AND type < 0")

    static let voidBelow = """
        UPDATE item SET size1 = \(SyncItem.voidSize), tag1 = NULL, listed1 = 1 WHERE type <> 2 AND (key >= ? AND key < ? OR key = ?)
        """

    private static func void(_ side: SyncSide, keys: String) -> String {
        let number = side.rawValue
        return """
            UPDATE item SET size\(number) = \(SyncItem.voidSize), tag\(number) = NULL, listed\(number) = 1
            WHERE type <> 2 AND key IN (\(keys))
            """
    }

    static let upsertItem = """
        INSERT INTO item (key, type, hash, folded, size0, time0, tag0, identity0, listed0, size1, time1, tag1, identity1, listed1)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (key) DO UPDATE SET type = excluded.type, hash = excluded.hash, folded = excluded.folded,
        size0 = excluded.size0, time0 = excluded.time0, tag0 = excluded.tag0, identity0 = excluded.identity0, listed0 = excluded.listed0,
        size1 = excluded.size1, time1 = excluded.time1, tag1 = excluded.tag1, identity1 = excluded.identity1, listed1 = excluded.listed1
        """

    // MARK: Names that differ in case or normalization alone

    private static func isListed(_ key: String, on side: String = ":side") -> String {
        """
        CASE (SELECT h.type > 0 FROM found h WHERE h.key = \(key) AND h.side = \(side))
        WHEN 1 THEN 1 WHEN 0 THEN 0 ELSE EXISTS (SELECT 1 FROM item h WHERE h.key = \(key)) END
        """
    }

    /// Pairs begin with changed names, so an unchanged tree needs no search. `CROSS JOIN` makes SQLite keep that order.
    static let missingTwins = """
        SELECT CASE WHEN isListed THEN two ELSE one END, CASE WHEN isListed THEN one ELSE two END FROM (
            SELECT one, two, \(isListed("one")) AS isListed, \(isListed("two")) AS isOther FROM (
                SELECT n.key AS one, i.key AS two FROM found n CROSS JOIN item i ON i.folded = n.folded AND i.key <> n.key
                WHERE n.folded NOT IN \(isCrowded)
                UNION ALL
                SELECT n.key, o.key FROM found n CROSS JOIN found o ON o.folded = n.folded AND o.key <> n.key
                WHERE n.folded NOT IN \(isCrowded)))
        WHERE isListed <> isOther
        """

    /// A server may list any number of names that differ in case alone. Large groups of them are not compared.
    private static let isCrowded = "(SELECT folded FROM found GROUP BY folded HAVING count(*) > \(maxTwins))"
    private static let maxTwins = 64

    /// What `:side` lists, with the name that the item may have elsewhere but not here: the agreed name, unless the
    /// other side took this name for that item; else the name that the other side lists, if it doesn't list this one.
    static let insertForms = """
        INSERT OR IGNORE INTO form (listed, known, type, size, time, tag, identity)
        SELECT one, two, type, size, time, tag, identity FROM (
            SELECT n.key AS one, i.key AS two, n.type, n.size, n.time, n.tag, n.identity, 1 AS isAgreed
            FROM found n CROSS JOIN item i ON i.folded = n.folded AND i.key <> n.key
            WHERE n.side = :side AND n.type > 0 AND n.folded NOT IN \(isCrowded)
            UNION ALL
            SELECT n.key, o.key, n.type, n.size, n.time, n.tag, n.identity, 0
            FROM found n CROSS JOIN found o ON o.folded = n.folded AND o.key <> n.key AND o.side <> :side AND o.type > 0
            WHERE n.side = :side AND n.type > 0 AND n.folded NOT IN \(isCrowded))
        WHERE NOT \(isListed("two")) AND one NOT IN (SELECT key FROM item)
            AND (NOT \(isListed("one", on: "1 - :side")) OR isAgreed AND \(isListed("two", on: "1 - :side")))
        """

    /// Agreed names come before others.
    static let forms = """
        SELECT listed, known, type, size, time, tag, identity, 1 FROM form
        ORDER BY listed, known IN (SELECT key FROM item) DESC, known
        """

    static let listedBelow = """
        SELECT key, type, size, time, tag, identity, 1 FROM found WHERE side = ? AND key >= ? AND key < ? AND type > 0 LIMIT 512
        """

    static let twins = """
        \(columns) FROM (SELECT key FROM item WHERE folded = :folded UNION SELECT key FROM found WHERE folded = :folded) d \(joins)
        WHERE d.key <> :key ORDER BY d.key LIMIT \(maxTwins)
        """

    /// Names all phases because actions are indexed by phase, depth and key.
    static let plannedTwins = """
        SELECT DISTINCT f.key FROM found f CROSS JOIN action a ON a.phase IN (\(phases)) AND a.key = f.key
        WHERE f.folded = ? AND f.key <> ? AND a.depth = ? AND a.side = ? AND a.kind IN (?, ?)
        """

    private static let phases = SyncAction.Phase.allCases.map { String($0.rawValue) }.joined(separator: ", ")

    // MARK: Differences

    /// All that is known of the paths `d.key`.
    private static let columns = """
        SELECT d.key, i.type, i.size0, i.time0, i.tag0, i.identity0, i.listed0, i.type, i.size1, i.time1, i.tag1, i.identity1, i.listed1, i.hash,
        f.type, f.size, f.time, f.tag, f.identity, 1, g.type, g.size, g.time, g.tag, g.identity, 1,
        c.same, c.hash, t.side, t.origin, o.side,
        EXISTS (SELECT 1 FROM incomplete n WHERE n.key = d.key), u.side, u.fresh, u.copied, EXISTS (SELECT 1 FROM rest r WHERE r.key = d.key)
        """

    private static let joins = """
        LEFT JOIN item i ON i.key = d.key
        LEFT JOIN found f ON f.key = d.key AND f.side = 0 LEFT JOIN found g ON g.key = d.key AND g.side = 1
        LEFT JOIN unkept u ON u.key = d.key LEFT JOIN compared c ON c.key = d.key LEFT JOIN moved t ON t.target = d.key LEFT JOIN moved o ON o.origin = d.key
        """

    // Rows arrive in the order of a table, so nothing is sorted.

    /// Returns each path once, from the source's row, else from the destination's.
    static let differences = """
        \(columns) FROM found d \(joins) WHERE d.key > ? AND (d.side = 0 OR f.key IS NULL) ORDER BY d.key LIMIT ?
        """

    static let newFiles =
        "\(columns) FROM found d \(joins) WHERE d.key > ? AND d.side = ? AND d.type = 1 ORDER BY d.key LIMIT ?"

    /// Files of the source for which the state only records that a version existed.
    static let voidFiles = """
        \(columns) FROM (SELECT f.key FROM found f CROSS JOIN item v ON v.key = f.key AND v.size0 = \(SyncItem.voidSize)
            WHERE f.key > ? AND f.side = 0 AND f.type = 1 ORDER BY f.key LIMIT ?) d \(joins) ORDER BY d.key
        """

    /// Files that changed on one side only, with the same size and a known hash.
    static func touchedFiles(on side: SyncSide) -> String {
        let number = side.rawValue
        return """
            \(columns) FROM (SELECT f.key FROM found f CROSS JOIN item v ON v.key = f.key AND v.hash IS NOT NULL AND v.size\(number) = f.size
                WHERE f.key > ? AND f.side = \(number) AND f.type = 1
                AND NOT EXISTS (SELECT 1 FROM found o WHERE o.key = f.key AND o.side = \(side.other.rawValue))
                ORDER BY f.key LIMIT ?) d \(joins) ORDER BY d.key
            """
    }

    /// Files of a side that its storage may not have kept.
    static func doubtfulFiles(on side: SyncSide) -> String {
        let number = side.rawValue
        return """
            \(columns) FROM (
                SELECT key FROM unkept WHERE side = \(number) AND key > :after
                UNION
                SELECT f.key FROM found f CROSS JOIN item v ON v.key = f.key AND v.type = 1 AND v.listed\(number) = 0
                WHERE f.key > :after AND f.side = \(number) AND f.type = 1 AND f.size < v.size\(number)
                UNION
                SELECT s.key FROM sent s CROSS JOIN found f ON f.key = s.key AND f.side = \(number) AND f.type < 0
                WHERE s.key > :after AND s.side = \(number)
                    AND NOT EXISTS (SELECT 1 FROM found h WHERE h.folded = f.folded AND h.key <> f.key)
                    AND NOT EXISTS (SELECT 1 FROM item h WHERE h.folded = f.folded AND h.key <> f.key)
                ORDER BY key LIMIT :limit) d \(joins) ORDER BY d.key
            """
    }

    static let insertUnkept = """
        INSERT INTO unkept (key, side, fresh) VALUES (?, ?, ?)
        ON CONFLICT (key) DO UPDATE SET copied = copied AND side = excluded.side, side = excluded.side, fresh = max(fresh, excluded.fresh)
        """

    static let oneDifference = "\(columns) FROM (SELECT ? AS key) d \(joins)"

    @Sendable static func difference(_ row: Row) throws -> SyncDifference { try difference(row, from: 0) }

    private static func difference(_ row: Row, from start: Int) throws -> SyncDifference {
        let hasAgreed = !row.hasNull(atIndex: start + 1)
        func look(_ column: Int) -> SyncDifference.Look {
            guard let type: Int = row[column] else { return .unchanged }
            return type < 0 ? .gone : .found(item(row, from: column))
        }
        return SyncDifference(
            path: try SyncKey.path(row[start]),
            agreed: hasAgreed
                ? AgreedItem(
                    items: Sides(item(row, from: start + 1), item(row, from: start + 7)), hash: row[start + 13]) : nil,
            looks: Sides(look(start + 14), look(start + 20)), isSame: row[start + 26], hash: row[start + 27],
            moveSide: (row[start + 28] as Int? ?? row[start + 30] as Int?).flatMap(SyncSide.init),
            movedFrom: try (row[start + 29] as Data?).map(SyncKey.path), isIncomplete: row[start + 31],
            unkept: (row[start + 32] as Int?).flatMap(SyncSide.init).map { side in
                UnkeptWrite(side: side, isFresh: row[start + 33], hasCopy: row[start + 34], isRest: row[start + 35])
            })
    }

    // MARK: Actions

    static let insertAction = """
        INSERT INTO action (phase, depth, kind, side, key, origin, type, size, keeps, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    static let actions = """
        \(columns), d.depth, d.kind, d.side, d.origin, d.type, d.size, d.keeps, d.reason
        FROM action d \(joins) WHERE d.phase = ? AND (d.depth, d.key) > (?, ?) ORDER BY d.depth, d.key LIMIT ?
        """

    @Sendable static func plannedAction(_ row: Row) throws -> PlannedAction {
        let start = 36
        let difference = try difference(row, from: 0)
        let kind: String = row[start + 1]
        guard let kind = SyncAction.Kind(rawValue: kind), let side = SyncSide(rawValue: row[start + 2]) else {
            throw FileError.make(.fileReadCorruptFile, path: difference.path)
        }
        let action = SyncAction(
            kind, on: side, path: difference.path, from: try (row[start + 3] as Data?).map(SyncKey.path),
            type: type(row[start + 4]),
            size: row[start + 5], keepsOld: row[start + 6], reason: row[start + 7])
        return PlannedAction(depth: row[start], action: action, difference: difference)
    }
}
