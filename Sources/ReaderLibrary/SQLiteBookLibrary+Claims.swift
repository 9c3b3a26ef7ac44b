import FileProviderCore
import ReaderLink
import SQLiteStorage

/// Adds files to `Books` and `Covers`. Each name is recorded as litter before its file is created, and the step that
/// assigns the file to a book deletes the record in its own transaction. So an interruption leaves no unknown file.
extension SQLiteBookLibrary {
    /// Ends the claims of a step, whatever its result: removes files that belong to no book, including replaced ones.
    func release(_ files: Set<LibraryFile>) async {
        // A failed transaction may have been committed, so the database is asked before anything is removed.
        reserved.subtract(files)
        await tidy()
    }

    /// Claims the name of a new file, and adds it to the `files` of the step, which releases them.
    /// - Returns: Whether the name is free: no file or row has it, and it is not recorded.
    func claim(_ file: LibraryFile, _ files: inout Set<LibraryFile>) async throws -> Bool {
        guard reserved.insert(file).inserted else { return false }
        files.insert(file)
        if try await isNoted(file) { return true }
        reserved.remove(file)
        files.remove(file)
        return false
    }

    private func isNoted(_ file: LibraryFile) async throws -> Bool {
        // The library must not remove an existing file, and so must never record its name.
        if try await folder.isTaken(try folder.path(of: file)) { return false }
        return try await database.write { db in
            let litter = LitterTable(db)
            if try litter.isTaken(file) { return false }
            try litter.add(file)
            return true
        }
    }

    /// Withdraws a claim: someone else has created the file meanwhile, and the library must not remove it.
    func giveUp(_ file: LibraryFile, _ files: inout Set<LibraryFile>) async throws {
        // If the record stays, so does the reservation, which protects the file.
        files.remove(file)
        try await withCancellationShield { [database] in
            try await database.write { db in try LitterTable(db).remove(file) }
        }
        reserved.remove(file)
    }
}
