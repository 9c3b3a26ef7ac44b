import Foundation
import GRDB
import ReaderLink
import SQLiteStorage

/// Records the commands that were begun and the results of their steps.
struct CommandJournal {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Records that `command` was begun, unless it is recorded already.
    func begin(_ command: CommandIdentity, at time: Double) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO commands (kind, digest, timestamp, begun) VALUES (?, ?, ?, ?)",
            arguments: [command.kind.rawValue, command.digest, command.timestamp, time])
    }

    /// Returns the results of the steps of `command`, by step number.
    func results(of command: CommandIdentity) throws -> [Int: StepResult] {
        let rows = try Row.fetchAll(
            db, sql: "SELECT number, result FROM steps WHERE kind = ? AND digest = ?",
            arguments: [command.kind.rawValue, command.digest])
        return try rows.reduce(into: [:]) { results, row in
            let values = RowValues(row)
            results[try values.int(0)] = try Self.result(try values.text(1))
        }
    }

    /// Returns the result of a step, or `nil` if it was not done.
    func result(of step: CommandStep) throws -> StepResult? {
        let text = try String.fetchOne(
            db, sql: "SELECT result FROM steps WHERE kind = ? AND digest = ? AND number = ?",
            arguments: [step.command.kind.rawValue, step.command.digest, step.number])
        return try text.map(Self.result)
    }

    /// Records the result of a step; its command counts as begun.
    func record(_ result: StepResult, of step: CommandStep, at time: Double) throws {
        try begin(step.command, at: time)
        let text = String(decoding: try JSONEncoder().encode(result), as: UTF8.self)
        try db.execute(
            sql: "INSERT OR REPLACE INTO steps (kind, digest, number, result) VALUES (?, ?, ?, ?)",
            arguments: [step.command.kind.rawValue, step.command.digest, step.number, text])
    }

    /// Returns the commands that were begun and not ended, the oldest first.
    func unfinished() throws -> [CommandIdentity] {
        try Row.fetchAll(db, sql: "SELECT kind, digest, timestamp FROM commands ORDER BY begun, kind, digest")
            .compactMap { row in
                let values = RowValues(row)
                // A command of a kind that this version doesn't support can't be continued.
                guard let kind = ReaderCommand.Kind(rawValue: try values.text(0)) else { return nil }
                return CommandIdentity(kind: kind, digest: try values.text(1), timestamp: try values.optionalText(2))
            }
    }

    /// Deletes a command and its steps.
    func end(_ command: CommandIdentity) throws {
        try db.execute(
            sql: "DELETE FROM commands WHERE kind = ? AND digest = ?",
            arguments: [command.kind.rawValue, command.digest])
    }

    private static func result(_ text: String) throws -> StepResult {
        do { return try JSONDecoder().decode(StepResult.self, from: Data(text.utf8)) } catch {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a step's result cannot be read")
        }
    }
}
