import FileProviderCore
import Foundation
import GRDB
import ReaderLink

extension SQLiteBookLibrary {
    /// Removes what the library itself made and no book has, and reports, once, other files that no book has; those are
    /// left alone. An application may call it when it has nothing else to do; opening the library does.
    /// - Complexity: Two listings.
    public func sweep() async throws {
        try await removeLitter()
        for directory in LibraryFile.Directory.allCases { try await reportStrangers(in: directory) }
    }

    /// Removes litter; what fails is reported, and tried again later.
    func tidy() async {
        do { try await removeLitter() } catch {
            options.report("Files that no book has any more could not be removed yet: \(error.sentence)")
        }
    }

    /// Removes litter, also where the task is cancelled; one call after the other, so that no name is given anew in
    /// between.
    private func removeLitter() async throws {
        let before = removal
        let task = Task {
            // Its errors are told to whoever began it.
            _ = await before?.result
            try await removeNoted()
        }
        removal = task
        // So that the line does not hold those that are through.
        defer { if removal == task { removal = nil } }
        try await task.value
    }

    private func removeNoted() async throws {
        var gone: [LibraryFile] = []
        for file in try await database.read({ db in try LitterTable(db).files() }) where try await isLitter(file) {
            if await remove(file) { gone.append(file) }
        }
        if gone.isEmpty { return }
        // A name that comes back after a power failure has to be noted still.
        for directory in Set(gone.map(\.directory)) { try await folder.sync(folder.path(of: directory)) }
        try await database.write { [gone] db in
            for file in gone { try LitterTable(db).remove(file) }
        }
    }

    /// Whether nothing brings `file` in and no book has it.
    private func isLitter(_ file: LibraryFile) async throws -> Bool {
        // In this order: a name that is noted cannot be claimed, so that one that is not on its way here is not on its
        // way below either.
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
                    "“\(StagedName.shown(file.name))” could not be removed, which is tried again later: \(error.sentence)"
                )
            }
            return false
        }
    }

    /// Removes a file of `Incoming`, also where the task is cancelled.
    func discard(_ path: ProviderPath) async {
        do { try await withCancellationShield { [folder] in try await folder.remove(path) } } catch {
            options.report(
                "“\(path.string)” could not be removed and is, when the library is opened again: \(error.sentence)")
        }
    }

    /// Tells of files that no book has and that the library knows nothing of: somebody put them there, or the database
    /// is an older one.
    private func reportStrangers(in directory: LibraryFile.Directory) async throws {
        // In this order: a file is noted before it comes.
        let names = try await folder.names(in: folder.path(of: directory))
        let known = try await database.read { db in try LitterTable(db).knownNames(in: directory) }
        let strangers = names.subtracting(known).sorted().filter {
            reported.insert(LibraryFile(directory, name: $0)).inserted
        }
        if strangers.isEmpty { return }
        let first = strangers.prefix(10).map { "“\(StagedName.shown($0))”" }.joined(separator: ", ")
        let rest = strangers.count > 10 ? " and \(strangers.count - 10) more" : ""
        options.report("No book has these files in “\(directory.rawValue)”, which are left alone: \(first)\(rest).")
    }

    /// Tells of books whose files are gone: they are not listed, and come back with their files.
    func reportMissing() async throws {
        let names = try await folder.names(in: folder.books)
        let missing = try await database.read { db in try Self.missing(db, names: names).map(\.filename) }
        for name in missing {
            options.report("The file “\(StagedName.shown(name))” of a book is missing; the book is not listed.")
        }
    }
}
