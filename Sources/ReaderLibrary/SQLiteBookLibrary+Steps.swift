import FileProviderCore
import Foundation
import GRDB
public import ReaderLink
import SQLiteStorage

extension SQLiteBookLibrary {
    /// Removes a book, first from the database and then its file.
    public func delete(_ book: BookReference, step: CommandStep) async throws -> StepResult {
        let result = try await journalled(step) { db in
            switch try BookFinder(db).find(book) {
            case .none: return .applied(["The book is not in the library; nothing was removed."])
            case .several, .conflict: return .rejected(Self.unclear)
            case .one(let stored):
                let (table, litter) = (BookTable(db), LitterTable(db))
                try litter.add(LibraryFile(.books, name: stored.book.filename))
                if let cover = try table.cover(of: stored.id) { try litter.add(LibraryFile(.covers, name: cover)) }
                try table.delete(stored.id)
                return .applied()
            }
        }
        await tidy()
        return result
    }

    /// Updates a book's metadata; its file keeps its name.
    public func update(_ book: UpdatedBook, step: CommandStep) async throws -> StepResult {
        if let done = try await database.read({ db in try CommandJournal(db).result(of: step) }) { return done }
        let (picture, coverProblem) = picture(in: book.cover)
        var files: Set<LibraryFile> = []
        do {
            let cover = try await writeCover(picture, files: &files)
            let result = try await update(book, cover: cover, coverProblem, step)
            await release(files)
            return result
        } catch {
            await release(files)
            throw error
        }
    }

    private func update(_ update: UpdatedBook, cover: String?, _ coverProblem: String?, _ step: CommandStep)
        async throws -> StepResult
    {
        let (mapsFlags, time) = (options.mapsFlags, Date(timeIntervalSince1970: options.time.wallClock))
        return try await journalled(step) { db in
            let table = BookTable(db)
            let found = try BookFinder(db).find(update.reference)
            // The new cover stays recorded as litter.
            guard case .one(let stored) = found else { return .rejected(Self.reason(found)) }
            var change = BookChange(stored.book)
            change.apply(update, mapsFlags: mapsFlags, at: time)
            if let uuid = update.newUUID { change.setUUID(uuid, isTaken: try table.isTaken(uuid, besides: stored.id)) }
            if let coverProblem { change.warn(coverProblem) }
            if let cover {
                change.setCoverHash(update.cover?.hash)
                try table.replaceCover(of: stored.id, with: cover)
            }
            try table.update(StoredBook(id: stored.id, book: change.book))
            return .applied(change.warnings)
        }
    }

    /// Returns the picture in a message, or the problem with it.
    private func picture(in cover: EncodedCover?) -> (CoverPicture?, problem: String?) {
        guard let cover else { return (nil, nil) }
        do { return (try CoverPicture(cover, limit: options.maxCoverSize), nil) } catch {
            return (nil, "The old cover stays: \(error.sentence)")
        }
    }

    /// Puts a book into exactly the given collections.
    public func setCollections(_ book: CollectedBook, step: CommandStep) async throws -> StepResult {
        let (mapsFlags, time) = (options.mapsFlags, Date(timeIntervalSince1970: options.time.wallClock))
        return try await journalled(step) { db in
            let found = try BookFinder(db).find(book.reference)
            guard case .one(var stored) = found else { return .rejected(Self.reason(found)) }
            stored.book.setCollections(book.collections, mapsFlags: mapsFlags)
            stored.book.modified = time
            try BookTable(db).update(stored)
            return .applied()
        }
    }

    /// Removes empty collections.
    public func cleanUpCollections(step: CommandStep) async throws -> StepResult {
        try await journalled(step) { db in
            try CollectionTable(db).removeEmpty()
            return .applied()
        }
    }

    private static let unclear =
        "It is not clear which book is meant: the uuid, the file name and the title do not agree. Nothing was changed."

    static func reason(_ found: FoundBook) -> String {
        if case .none = found { return "The book is not in the library; nothing was changed." }
        return unclear
    }
}

extension BookTable {
    /// Whether another book has this uuid.
    fileprivate func isTaken(_ uuid: String, besides id: Int64) throws -> Bool {
        try books(where: "uuid_key = ?", [BookUUID.canonical(uuid)]).contains { $0.id != id }
    }
}
