import FileProviderCore
import Foundation
import GRDB
import ReaderLink
import SQLiteStorage

extension SQLiteBookLibrary {
    /// Removes files that the library created and that belong to no book. Reports other files without a book once, and
    /// leaves them alone. Opening the library calls this; an application may call it when it is idle.
    /// - Complexity: Two listings.
    public func sweep() async throws {
        try await removeLitter()
        for directory in LibraryFile.Directory.allCases { try await reportStrangers(in: directory) }
    }

    /// Removes litter; failures are reported and tried again later.
    func tidy() async {
        do { try await removeLitter() } catch {
            options.report("Files without a book could not be removed yet: \(error.sentence)")
        }
    }

    /// Removes litter, even if the task is cancelled. Calls run one after the other, so that no name is reused in
    /// between.
    private func removeLitter() async throws {
        let before = removal
        let task = Task {
            // The caller of the earlier removal receives its errors.
            _ = await before?.result
            try await removeNoted()
        }
        removal = task
        // Releases the finished task.
        defer { if removal == task { removal = nil } }
        try await task.value
    }

    private func removeNoted() async throws {
        var gone: [LibraryFile] = []
        for file in try await database.read({ db in try LitterTable(db).files() }) where try await isLitter(file) {
            if await remove(file) { gone.append(file) }
        }
        if gone.isEmpty { return }
        // A name that reappears after a power failure must still be recorded.
        for directory in Set(gone.map(\.directory)) { try await folder.sync(folder.path(of: directory)) }
        try await database.write { [gone] db in
            for file in gone { try LitterTable(db).remove(file) }
        }
    }

    /// Whether no step is adding `file` and no book has it.
    private func isLitter(_ file: LibraryFile) async throws -> Bool {
        // The order matters: a recorded name can't be claimed, so a name that is not reserved here is not reserved
        // below either.
        if reserved.contains(file) { return false }
        return try await database.read { db in try LitterTable(db).isLitter(file) }
    }

    private func remove(_ file: LibraryFile) async -> Bool {
        do {
            try await folder.remove(try folder.path(of: file))
            return true
        } catch {
            if reported.insert(file).inserted {
                options.report(
                    "“\(StagedName.shown(file.name))” could not be removed; the library tries again later: \(error.sentence)"
                )
            }
            return false
        }
    }

    /// Removes a file in `Incoming`, even if the task is cancelled.
    func discard(_ path: ProviderPath) async {
        do { try await withCancellationShield { [folder] in try await folder.remove(path) } } catch {
            options.report(
                "“\(path.string)” could not be removed; the next opening of the library removes it: \(error.sentence)")
        }
    }

    /// Reports unknown files without a book: someone put them there, or the database is an older one.
    private func reportStrangers(in directory: LibraryFile.Directory) async throws {
        // The order matters: a file is recorded before it is created.
        let names = try await folder.names(in: folder.path(of: directory))
        let known = try await database.read { db in try LitterTable(db).knownNames(in: directory) }
        let strangers = names.subtracting(known).sorted().filter {
            reported.insert(LibraryFile(directory, name: $0)).inserted
        }
        if strangers.isEmpty { return }
        let first = strangers.prefix(10).map { "“\(StagedName.shown($0))”" }.joined(separator: ", ")
        let rest = strangers.count > 10 ? " and \(strangers.count - 10) more" : ""
        options.report("These files in “\(directory.rawValue)” belong to no book and are left alone: \(first)\(rest).")
    }

    /// Reports books whose files are missing. They are not listed until their files are back.
    func reportMissing() async throws {
        let names = try await folder.names(in: folder.books)
        let missing = try await database.read { db in try Self.missing(db, names: names).map(\.filename) }
        for name in missing {
            options.report("The file “\(StagedName.shown(name))” of a book is missing; the book is not listed.")
        }
    }
}
