import FileProviderCore
import Foundation
import GRDB

/// The state of a pair of folders and the working data of a pass, in SQLite. Memory use does not grow with the tree.
///
/// `item` holds what both sides agreed on and outlives the run. The temporary tables hold one pass's differences, moves
/// and actions.
final class SyncStore: Sendable {
    let queue: DatabaseQueue
    private let pass = LockedValue(Pass())

    /// The agreed items that a pass has seen.
    private struct Pass: Sendable {
        var seen = Sides(Bitmap(), Bitmap())
        var counts = Sides(0, 0)
        var agreed = 0
        var history = RunHistory.none
        var token = ""
    }

    /// Opens the state of a pair in `file`, and creates the file and its folder if they are missing.
    ///
    /// - Parameter isOlder: Whether to record that runs may have followed that this state doesn't know of.
    /// - Throws: `CocoaError(.fileLocking)` while another run uses it; `CocoaError(.fileReadUnknown)` for the state of
    ///   another pair, or a file that is not a state.
    static func open(_ file: URL, pair: Sides<String>, isOlder: Bool = false) async throws -> SyncStore {
        try await BlockingThreads.shared.run {
            let location = SyncStateFile(file)
            do {
                try location.make()
                var configuration = Configuration()
                configuration.busyMode = .timeout(1)
                let queue = try DatabaseQueue(path: file.path, configuration: configuration)
                try queue.writeWithoutTransaction { db in
                    try SyncSchema.prepare(db, pair)
                    if isOlder { try db.execute(sql: "UPDATE pair SET older = 1 WHERE older = 0") }
                }
                // Otherwise a missing permission would show only at the first change, in the middle of a run.
                if access(file.path, W_OK) != 0 { throw DatabaseError(resultCode: .SQLITE_READONLY) }
                return SyncStore(queue)
            } catch let error as DatabaseError { throw location.error(error) } catch let error as ForeignState {
                throw FileError.make(
                    .fileReadUnknown, path: file.path, sentence: "“\(file.lastPathComponent)” \(error.what)",
                    underlying: error)
            }
        }
    }

    private init(_ queue: DatabaseQueue) {
        self.queue = queue
    }

    /// Calls `body` with the database, in one transaction.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do { return try await queue.write(body) } catch let error as DatabaseError {
            throw SyncStateFile(URL(fileURLWithPath: queue.path)).error(error)
        }
    }

    /// Closes the state; later calls fail.
    func close() async throws {
        try await BlockingThreads.shared.run { [queue] in
            // A cancelled run leaves the connection interrupted until the next statement (sqlite3_interrupt), and SQLite then
            // closes it without bringing its log into the file. If that fails, the log stays beside the file, and is read
            // with it.
            try? queue.inDatabase { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            try queue.close()
        }
    }

    // MARK: Looking

    /// Begins a pass: nothing is seen, found or planned.
    func beginPass() async throws {
        try await write { [self] db in
            try SyncSchema.clearPass(db)
            let agreed = try Int.fetchOne(db, sql: "SELECT count(*) FROM item") ?? 0
            let last = try Int.fetchOne(db, sql: "SELECT max(id) FROM item") ?? 0
            let history =
                try Int.fetchOne(db, sql: "SELECT runs FROM pair").flatMap(RunHistory.init(rawValue:)) ?? .none
            let token = try String.fetchOne(db, sql: "SELECT token FROM pair") ?? ""
            // A bitmap has one bit for each number, 512 MiB at most; numbers are assigned consecutively.
            guard last < 1 << 32 else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
            pass.update {
                $0 = Pass(seen: Sides(Bitmap(last), Bitmap(last)), agreed: agreed, history: history, token: token)
            }
        }
    }

    /// The number of items that both sides had in common before the pass.
    var agreedCount: Int { pass.value.agreed }

    /// Whether no run has ever finished.
    var isFirst: Bool { !pass.value.history.hasEnded }

    /// Whether a first run took steps and may have left incomplete files: the cause that stopped it may have stopped
    /// the disks.
    var isFirstBegun: Bool { isFirst && pass.value.history != .none }

    /// The direction of the last run.
    var lastDirection: SyncOptions.Direction? { pass.value.history.lastDirection }

    /// A token that identifies this pair, also among those of other machines.
    var token: String { pass.value.token }

    /// Whether runs may have followed that this state doesn't know of, and none was complete since.
    func isOlder() async throws -> Bool {
        try await write { try Bool.fetchOne($0, sql: "SELECT older FROM pair") ?? false }
    }

    /// Records that a run has finished. After a complete one, the state knows what there is.
    func endRun(_ direction: SyncOptions.Direction, isComplete: Bool) async throws {
        try await write { [self] db in
            try note(direction == .mirror ? .mirror : .twoWay, db)
            if isComplete { try db.execute(sql: "UPDATE pair SET older = 0 WHERE older <> 0") }
            try Self.forgetUnkept(db)
        }
    }

    private func note(_ history: RunHistory, _ db: Database) throws {
        try db.execute(sql: "UPDATE pair SET runs = :runs WHERE runs <> :runs", arguments: ["runs": history.rawValue])
        pass.update { $0.history = history }
    }

    /// Returns how many agreed items a side's listing had.
    func seenCount(on side: SyncSide) -> Int { pass.update { $0.seen[side].count } }

    /// Returns how many items a side's listing had.
    func count(on side: SyncSide) -> Int { pass.update { $0.counts[side] } }

    /// Stores part of a side's listing. Unchanged items are only marked as seen.
    ///
    /// - Returns: Items that the listing has already contained.
    func note(
        _ items: [(path: ProviderPath, item: SyncItem)], on side: SyncSide, precision: Double
    ) async throws -> [ProviderPath] {
        try await write { [self] db in try note(items, on: side, precision: precision, db) }
    }

    @discardableResult
    private func note(
        _ items: [(path: ProviderPath, item: SyncItem)], on side: SyncSide, precision: Double, _ db: Database
    ) throws -> [ProviderPath] {
        let find = try db.cachedStatement(sql: SyncSQL.agreedSide(side))
        let insert = try db.cachedStatement(sql: SyncSQL.insertFound)
        let update = try db.cachedStatement(sql: SyncSQL.updateSide(side))
        let hasAgreed = pass.update { pass in
            pass.counts[side] += items.count
            return pass.agreed > 0
        }
        var twice: [ProviderPath] = []
        for (path, item) in items {
            let key = SyncKey.data(path)
            if hasAgreed, let row = try Row.fetchOne(find, arguments: [key]) {
                if pass.update({ !$0.seen[side].insert(row[0]) }) { twice.append(path) }
                let known = SyncSQL.item(row, from: 1)
                let isTold = known.isListed && !(precision >= 60 && item.hasLostItsClock)
                if !isTold, item.isAlike(known, precision: precision, byTag: true) {
                    try update.execute(arguments: [item.time, item.tag, item.identity, row[0] as Int])
                    continue
                }
                if item.isUnchanged(since: known) { continue }
            }
            try insert.execute(
                arguments: [
                    key, side.rawValue, SyncSQL.code(item.type), item.size, item.time, item.tag, item.identity, nil,
                    SyncKey.folded(path),
                ])
            if db.changesCount == 0 { twice.append(path) }
        }
        return twice
    }

    /// Ends a side's listing. Agreed items that were not seen are gone, except below folders that could not be listed,
    /// which are unknown on both sides.
    func endListing(on side: SyncSide) async throws {
        try await write { [self] db in
            let seen = pass.update { $0.seen[side] }
            if seen.count == pass.value.agreed { return }
            let insert = try db.cachedStatement(sql: SyncSQL.insertGone(side))
            let ids = try Int.fetchCursor(db, sql: "SELECT id FROM item")
            while let id = try ids.next() {
                if !seen.contains(id) { try insert.execute(arguments: [id]) }
            }
        }
    }

    /// Treats everything that the destination kept when the source lost it as the destination's own, in this pass.
    func claimKept() async throws { try await write { try $0.execute(sql: SyncSQL.claimKept) } }

    /// Marks the items that steps depend on as different from the agreed version until each step is recorded. The mark
    /// is on the disk when this returns, so that no power failure undoes it and keeps the step.
    ///
    /// - Parameter claimsKept: Whether the items of ``claimKept()`` are marked, too, until both sides have them again.
    func beginSteps(_ direction: SyncOptions.Direction, claimsKept: Bool) async throws {
        do {
            try await queue.writeWithoutTransaction { [self] db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.inTransaction {
                    // Even an interrupted run leaves something.
                    try note(pass.value.history.begun(direction), db)
                    for side in SyncSide.allCases {
                        let kinds = [SyncAction.Kind.create, .update, .remove, .conflict].map(\.rawValue)
                        try db.execute(sql: SyncSQL.listCauses(of: side), arguments: StatementArguments(kinds))
                        try db.execute(sql: SyncSQL.voidCauses(of: side), arguments: StatementArguments(kinds))
                    }
                    if claimsKept {
                        try db.execute(sql: SyncSQL.keepClaims)
                        // Folders that could not be listed count, too.
                        try eachLeftOut(db) { key, itself in
                            try db.cachedStatement(sql: SyncSQL.voidBelow).execute(
                                arguments: [key + [0], key + [1], itself ? key : nil])
                        }
                    }
                    return .commit
                }
                try db.execute(sql: "PRAGMA synchronous = NORMAL")
            }
        } catch let error as DatabaseError { throw SyncStateFile(URL(fileURLWithPath: queue.path)).error(error) }
    }

    /// Excludes everything below `paths` from this pass, and with `itself` the paths, too.
    func leaveOut(_ paths: [ProviderPath], itself: Bool) async throws {
        if paths.isEmpty { return }
        try await write { db in
            let insert = try db.cachedStatement(
                sql: """
                    INSERT INTO left_out (key, itself) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET itself = max(itself, excluded.itself)
                    """)
            for path in paths { try insert.execute(arguments: [SyncKey.data(path), itself]) }
        }
    }

    /// Ends both listings, and deletes the records of excluded items on either side.
    func endLooking() async throws {
        try await write { [self] db in
            try Self.leaveOutUnshown(db)
            try db.execute(sql: SyncSchema.indexFolded)
            let below = try db.makeStatement(sql: "DELETE FROM found WHERE key >= ? AND key < ?")
            let itself = try db.makeStatement(sql: "DELETE FROM found WHERE key = ?")
            try eachLeftOut(db) { key, isItself in
                try below.execute(arguments: [key + [0], key + [1]])
                if isItself { try itself.execute(arguments: [key]) }
            }
        }
    }

    /// Calls `body` with each excluded path, in all forms of its name.
    private func eachLeftOut(_ db: Database, _ body: (_ key: Data, _ itself: Bool) throws -> Void) throws {
        let rows = try Row.fetchCursor(db, sql: "SELECT key, itself FROM left_out")
        while let row = try rows.next() {
            for key: Data in try Self.forms(of: row[0], db) { try body(key, row[1]) }
        }
    }

    /// Whether anything on any side differs from `path` in normalization alone.
    func hasOtherForms(of path: ProviderPath) async throws -> Bool {
        let key = SyncKey.data(path)
        if key.allSatisfy({ $0 < 0x80 }) { return false }
        return try await write { try Self.forms(of: key, $0).contains { $0 != key } }
    }

    /// Returns the keys on any side that differ from `key` in normalization alone, including `key` itself.
    private static func forms(of key: Data, _ db: Database) throws -> [Data] {
        if key.allSatisfy({ $0 < 0x80 }) { return [key] }
        let path = try SyncKey.path(key)
        let keys = try Data.fetchAll(
            db, sql: "SELECT key FROM found WHERE folded = :folded UNION SELECT key FROM item WHERE folded = :folded",
            arguments: ["folded": SyncKey.folded(path)])
        return try [key] + keys.filter { try $0 != key && SyncKey.isOneForm(SyncKey.path($0), path) }
    }

    /// Renames, in the listing of `side`, items whose normalization differs from the other side's or the agreed one to
    /// the known name, and the content of such folders with them.
    func takeForms(on side: SyncSide, precision: Double) async throws {
        try await write { [self] db in
            // The content of a folder is considered once the folder has its name.
            while try takeNextForms(on: side, precision: precision, db: db) {}
        }
    }

    private func takeNextForms(on side: SyncSide, precision: Double, db: Database) throws -> Bool {
        try db.execute(sql: "DELETE FROM form")
        try db.execute(sql: SyncSQL.insertForms, arguments: ["side": side.rawValue])
        let below = try db.cachedStatement(sql: SyncSQL.listedBelow)
        let forms = try db.cachedStatement(sql: SyncSQL.forms)
        let rows = try Row.fetchCursor(forms)
        var last: Data?
        while let row = try rows.next() {
            let (listed, known): (Data, Data) = (row[0], row[1])
            let (path, name) = (try SyncKey.path(listed), try SyncKey.path(known))
            guard path.parent == name.parent, SyncKey.isOneForm(path, name) else { continue }
            if let last, listed == last || listed.starts(with: last + [0]) { continue }
            last = listed
            try rename([(listed, known, SyncSQL.item(row, from: 2))], on: side, precision: precision, db)
            while case let rows = try Row.fetchAll(below, arguments: [side.rawValue, listed + [0], listed + [1]]),
                !rows.isEmpty
            {
                let items = rows.map { row in
                    let key: Data = row[0]
                    return (key, known + key.dropFirst(listed.count), SyncSQL.item(row, from: 1))
                }
                try rename(items, on: side, precision: precision, db)
            }
        }
        return last != nil
    }

    /// Moves records of a side's listing from one key to another.
    private func rename(
        _ items: [(from: Data, to: Data, item: SyncItem)], on side: SyncSide, precision: Double, _ db: Database
    ) throws {
        let remove = try db.cachedStatement(sql: "DELETE FROM found WHERE key = ? AND side = ?")
        for item in items {
            for key in [item.from, item.to] { try remove.execute(arguments: [key, side.rawValue]) }
        }
        pass.update { $0.counts[side] -= items.count }
        try note(items.map { (try SyncKey.path($0.to), $0.item) }, on: side, precision: precision, db)
    }

    /// Returns the paths that differ from what was agreed on, in tree order.
    func differences(after path: ProviderPath?, limit: Int = 512) async throws -> [SyncDifference] {
        try await write { db in
            let statement = try db.cachedStatement(sql: SyncSQL.differences)
            return try Array(
                Row.fetchCursor(statement, arguments: [path.map(SyncKey.data) ?? Data(), limit]).map(SyncSQL.difference)
            )
        }
    }

    /// Returns the differences that are new or changed files on a side.
    func newFiles(on side: SyncSide, after path: ProviderPath?, limit: Int = 512) async throws -> [SyncDifference] {
        try await write { db in
            let statement = try db.cachedStatement(sql: SyncSQL.newFiles)
            let arguments: StatementArguments = [path.map(SyncKey.data) ?? Data(), side.rawValue, limit]
            return try Array(Row.fetchCursor(statement, arguments: arguments).map(SyncSQL.difference))
        }
    }

    /// Returns the differences that are files of the source for which the state has no version.
    func voidFiles(after path: ProviderPath?, limit: Int = 512) async throws -> [SyncDifference] {
        try await write { db in
            let statement = try db.cachedStatement(sql: SyncSQL.voidFiles)
            return try Array(
                Row.fetchCursor(statement, arguments: [path.map(SyncKey.data) ?? Data(), limit]).map(SyncSQL.difference)
            )
        }
    }

    /// Returns the differences that are files changed on one side only, with the same size and a known hash.
    func touchedFiles(on side: SyncSide, after path: ProviderPath?, limit: Int = 512) async throws -> [SyncDifference] {
        try await write { db in
            let statement = try db.cachedStatement(sql: SyncSQL.touchedFiles(on: side))
            return try Array(
                Row.fetchCursor(statement, arguments: [path.map(SyncKey.data) ?? Data(), limit]).map(SyncSQL.difference)
            )
        }
    }

    /// Adds to each of `differences` the other names that a storage may treat as the same.
    func addTwins(to differences: [SyncDifference]) async throws -> [SyncDifference] {
        try await write { db in
            let statement = try db.cachedStatement(sql: SyncSQL.twins)
            return try differences.map { difference in
                var difference = difference
                let arguments: StatementArguments = [
                    "folded": SyncKey.folded(difference.path), "key": SyncKey.data(difference.path),
                ]
                difference.twins = try Array(Row.fetchCursor(statement, arguments: arguments).map(SyncSQL.difference))
                return difference
            }
        }
    }

    /// Records the result of a comparison.
    func compared(_ path: ProviderPath, isSame: Bool?, hash: String?) async throws {
        try await write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO compared(key, same, hash) VALUES (?, ?, ?)",
                arguments: [SyncKey.data(path), isSame, hash])
        }
    }

    // MARK: Acting

    /// Adds steps to the plan.
    func add(_ actions: [SyncAction]) async throws {
        try await write { db in
            let insert = try db.cachedStatement(sql: SyncSQL.insertAction)
            for action in actions {
                try insert.execute(
                    arguments: [
                        action.phase.rawValue, SyncKey.depth(action.path) * (action.phase == .removeFolders ? -1 : 1),
                        action.kind.rawValue,
                        action.side.rawValue, SyncKey.data(action.path), action.from.map(SyncKey.data),
                        SyncSQL.code(action.type),
                        action.size, action.keepsOld, action.reason,
                    ])
            }
        }
    }

    /// Returns the next steps of a phase; steps of one depth come together.
    func actions(_ phase: SyncAction.Phase, after last: PlannedAction?, limit: Int = 512) async throws
        -> [PlannedAction]
    {
        try await write { db in
            let (depth, key) = (last?.depth ?? Int.min, last.map { SyncKey.data($0.action.path) } ?? Data())
            let statement = try db.cachedStatement(sql: SyncSQL.actions)
            return try Array(
                Row.fetchCursor(statement, arguments: [phase.rawValue, depth, key, limit]).map(SyncSQL.plannedAction))
        }
    }

    /// Returns the steps of the plan in the order in which they are taken.
    func plannedActions(after last: PlannedAction?, limit: Int = 512) async throws -> [PlannedAction] {
        for phase in SyncAction.Phase.allCases where phase.rawValue >= last?.action.phase.rawValue ?? 0 {
            let found = try await actions(phase, after: phase == last?.action.phase ? last : nil, limit: limit)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Returns what is known about one path.
    func difference(at path: ProviderPath) async throws -> SyncDifference? {
        try await write { db in
            try Row.fetchOne(db, sql: SyncSQL.oneDifference, arguments: [SyncKey.data(path)]).map(SyncSQL.difference)
        }
    }

    /// Returns the paths that the plan creates on a side and that differ from this one in case or normalization alone.
    func plannedTwins(of path: ProviderPath, on side: SyncSide) async throws -> [ProviderPath] {
        try await write { db in
            let statement = try db.cachedStatement(sql: SyncSQL.plannedTwins)
            let arguments: StatementArguments = [
                SyncKey.folded(path), SyncKey.data(path), SyncKey.depth(path), side.rawValue,
                SyncAction.Kind.create.rawValue, SyncAction.Kind.move.rawValue,
            ]
            return try Array(Data.fetchCursor(statement, arguments: arguments).map(SyncKey.path))
        }
    }

    /// Returns a name that `side` does not list although it lists another that differs in case alone, at least one of
    /// them changed; and the same for names that differ in normalization alone.
    func missingTwins(on side: SyncSide) async throws -> (inCase: ProviderPath?, inForm: ProviderPath?) {
        try await write { db in
            let statement = try db.cachedStatement(sql: SyncSQL.missingTwins)
            let rows = try Row.fetchCursor(statement, arguments: ["side": side.rawValue])
            var (inCase, inForm): (ProviderPath?, ProviderPath?)
            while inCase == nil || inForm == nil, let row = try rows.next() {
                let (missing, listed) = (try SyncKey.path(row[0]), try SyncKey.path(row[1]))
                if SyncKey.isOneForm(missing, listed) { inForm = missing } else { inCase = missing }
            }
            return (inCase, inForm)
        }
    }

    /// Returns how many items the plan removes from a side.
    func removals(on side: SyncSide) async throws -> Int {
        try await write { db in
            try Int.fetchOne(
                db, sql: "SELECT count(*) FROM action WHERE side = ? AND kind = ?",
                arguments: [side.rawValue, SyncAction.Kind.remove.rawValue]) ?? 0
        }
    }

    /// Whether files were found that a side has moved.
    func hasMoves(on side: SyncSide) async throws -> Bool {
        try await write {
            try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM moved WHERE side = ?)", arguments: [side.rawValue])
                ?? false
        }
    }

    /// Returns how many bytes the plan transfers.
    func bytesToTransfer() async throws -> Int64 {
        // A server may report any size, so the sum may not fit.
        try await write {
            try Int64.fetchOne($0, sql: "SELECT CAST(min(total(size), 4e18) AS INTEGER) FROM action") ?? 0
        }
    }

    /// Renames what both sides had in common at and below `path` to another name in the same folder.
    func rename(_ path: ProviderPath, to new: ProviderPath) async throws {
        let (old, new) = (SyncKey.data(path), SyncKey.data(new))
        try await write { db in
            let update = try db.cachedStatement(sql: "UPDATE OR IGNORE item SET key = ? WHERE key = ?")
            try update.execute(arguments: [new, old])
            var last = old + [0]
            while case let keys = try Data.fetchAll(
                db, sql: "SELECT key FROM item WHERE key > ? AND key < ? ORDER BY key LIMIT 512",
                arguments: [last, old + [1]]),
                let end = keys.last
            {
                for key in keys { try update.execute(arguments: [new + key.dropFirst(old.count), key]) }
                last = end
            }
        }
    }

    /// Records what both sides now have in common.
    func record(_ changes: [SyncChange]) async throws {
        if changes.isEmpty { return }
        try await write { db in
            for change in changes {
                switch change {
                case .agreed(let path, let agreed):
                    try db.cachedStatement(sql: SyncSQL.upsertItem).execute(arguments: SyncSQL.arguments(path, agreed))
                    try Self.forgetUnkept(path, db: db)
                    try Self.noteSent(path, agreed: agreed, db: db)
                case .forgotten(let path):
                    try db.cachedStatement(sql: "DELETE FROM item WHERE key = ?").execute(arguments: [
                        SyncKey.data(path)
                    ])
                    try Self.forgetUnkept(path, db: db)
                    try Self.forgetSent(path, db: db)
                case .unkept(let path, let side, let isFresh):
                    try Self.noteUnkept(path, on: side, isFresh: isFresh, db: db)
                case .setAside(let path):
                    try db.cachedStatement(sql: "UPDATE unkept SET copied = 1 WHERE key = ?").execute(arguments: [
                        SyncKey.data(path)
                    ])
                    try Self.forgetSent(path, db: db)
                }
            }
        }
    }
}

/// A change to what both sides have in common.
enum SyncChange: Sendable {
    case agreed(ProviderPath, AgreedItem)
    case forgotten(ProviderPath)
    /// A file may not have been kept where it was written.
    case unkept(ProviderPath, SyncSide, isFresh: Bool)
    /// A side's item at this path was renamed.
    case setAside(ProviderPath)
}

/// A step of the plan with what is known about its path.
struct PlannedAction: Sendable {
    let depth: Int
    let action: SyncAction
    let difference: SyncDifference
}

/// A set of small numbers.
struct Bitmap: Sendable {
    private var words: [UInt64]
    private(set) var count = 0

    init(_ last: Int = 0) {
        words = Array(repeating: 0, count: last / 64 + 1)
    }

    func contains(_ number: Int) -> Bool {
        words.indices.contains(number / 64) && words[number / 64] & 1 << UInt64(number % 64) != 0
    }

    /// - Returns: Whether the number was not there before.
    mutating func insert(_ number: Int) -> Bool {
        if contains(number) { return false }
        if words.indices.contains(number / 64) {
            words[number / 64] |= 1 << UInt64(number % 64)
            count += 1
        }
        return true
    }
}
