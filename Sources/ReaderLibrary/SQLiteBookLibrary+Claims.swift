import FileProviderCore
import ReaderLink

/// How files come into `Books` and `Covers`: each name is noted as litter before its file comes, and the step that
/// gives the file to a book takes the note back in its own transaction. So whatever ends in between leaves nothing that
/// is not known of.
extension SQLiteBookLibrary {
    /// Ends the claims of a step, whatever came of it: what no book has is removed, and so is what a book had before.
    func release(_ files: Set<LibraryFile>) async {
        // A transaction that failed may have happened all the same, so that the database is asked before anything is
        // removed.
        reserved.subtract(files)
        await tidy()
    }

    /// Notes that `file` is about to come, and adds it to the `files` of the step, which releases them.
    /// - Returns: Whether it may: neither a file nor a row has that name, and none is noted.
    func claim(_ file: LibraryFile, _ files: inout Set<LibraryFile>) async throws -> Bool {
        guard reserved.insert(file).inserted else { return false }
        files.insert(file)
        if try await isNoted(file) { return true }
        reserved.remove(file)
        files.remove(file)
        return false
    }

    private func isNoted(_ file: LibraryFile) async throws -> Bool {
        // What is there already is not the library's to remove, and must never be noted.
        if try await folder.isTaken(try folder.path(of: file)) { return false }
        return try await database.write { db in
            let litter = LitterTable(db)
            if try litter.isTaken(file) { return false }
            try litter.add(file)
            return true
        }
    }

    /// Takes the claim back: somebody else has put a file there meanwhile, which is not the library's to remove.
    func giveUp(_ file: LibraryFile, _ files: inout Set<LibraryFile>) async throws {
        // Should the note stay, then so does the reservation, which keeps the file from being removed.
        files.remove(file)
        try await withCancellationShield { [database] in
            try await database.write { db in try LitterTable(db).remove(file) }
        }
        reserved.remove(file)
    }
}
