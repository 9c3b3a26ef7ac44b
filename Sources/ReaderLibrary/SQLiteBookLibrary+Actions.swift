import Foundation
import GRDB
public import ReaderLink
import SQLiteStorage

extension SQLiteBookLibrary {
    /// Carries out `LockBooks` and `UnlockBooks` on the books of the action, and `UpdateGlobalCollections` with the
    /// parameters `action` (`delete` or `rename`), `name` and `newname`. Rejects any other action.
    public func perform(_ action: ReaderAction, step: CommandStep) async throws -> StepResult {
        let time = Date(timeIntervalSince1970: options.time.wallClock)
        return try await journalled(step) { db in
            switch action.type {
            case "LockBooks": try Self.lock(action.books, true, db, time)
            case "UnlockBooks": try Self.lock(action.books, false, db, time)
            case "UpdateGlobalCollections": try Self.updateCollections(action.parameters, db: db)
            default: .rejected("The action “\(StagedName.shown(action.type))” is unsupported.")
            }
        }
    }

    private static func lock(_ books: [BookReference], _ isLocked: Bool, _ db: Database, _ time: Date) throws
        -> StepResult
    {
        var warnings: [String] = []
        var count = 0
        for reference in books {
            let found = try BookFinder(db).find(reference)
            guard case .one(var stored) = found else {
                let name = reference.title.isEmpty ? reference.filename : reference.title
                warnings.append("“\(StagedName.shown(name))”: \(reason(found))")
                continue
            }
            stored.book.isLocked = isLocked
            stored.book.modified = time
            try BookTable(db).update(stored)
            count += 1
        }
        var result = StepResult.applied(warnings)
        result.isApplied = count > 0 || books.isEmpty
        return result
    }

    private static func updateCollections(_ parameters: [String: String], db: Database) throws -> StepResult {
        let name = BookText.clean(parameters["name"] ?? "")
        guard !name.isEmpty else { return .rejected("The name of the collection is missing.") }
        let table = CollectionTable(db)
        let wasThere: Bool
        switch parameters["action"]?.lowercased() {
        case "delete": wasThere = try table.remove(name)
        case "rename":
            let newName = BookText.clean(parameters["newname"] ?? "")
            guard !newName.isEmpty else { return .rejected("The new name of the collection is missing.") }
            wasThere = try table.rename(name, to: newName)
        default: return .rejected("This change of a collection is unsupported.")
        }
        return .applied(wasThere ? [] : ["There is no collection “\(StagedName.shown(name))”."])
    }
}
