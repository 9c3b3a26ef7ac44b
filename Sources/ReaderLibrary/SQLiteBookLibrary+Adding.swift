import FileProviderCore
import Foundation
import GRDB
public import ReaderLink
import SQLiteStorage

extension SQLiteBookLibrary {
    /// Copies the document into the library's folder, verifies that it is an EPUB, and adds it.
    ///
    /// The order is safe against an interruption at any point: copy the file and flush it, record its new name, rename
    /// it, store the row and the result in one transaction, and only then remove the replaced file. A replaced book
    /// keeps the time when it was added and, unless the options say otherwise, its flags and its rating.
    /// - Throws: Errors of this machine's disk, and of a storage that doesn't answer.
    public func add(
        _ book: UploadedBook, from document: StagedDocument, overwrite: Bool, step: CommandStep
    ) async throws -> StepResult {
        if let done = try await database.read({ db in try CommandJournal(db).result(of: step) }) { return done }
        let copy = try folder.newIncoming("epub")
        do {
            let result = try await take(book, from: document, by: copy, overwrite: overwrite, step: step)
            await discard(copy)
            return result
        } catch let refusal as BookRefusal {
            await discard(copy)
            return try await journalled(step) { _ in .rejected(refusal.sentence) }
        } catch {
            await discard(copy)
            throw error
        }
    }

    private func take(
        _ upload: UploadedBook, from document: StagedDocument, by copy: ProviderPath, overwrite: Bool, step: CommandStep
    ) async throws -> StepResult {
        try await IncomingCopy(folder: folder, document: document, limit: options.maxBookSize).run(to: copy)
        let proof = BookProof(folder: folder, options: options, name: document.path.name)
        var incoming = try await proof.book(at: copy, size: document.size)
        incoming.complete(upload, options)
        let previous = try await replaced(by: incoming, overwrite: overwrite)
        return try await store(incoming, from: copy, replacing: previous, step: step)
    }

    /// Returns the book to replace, or `nil` for a new book.
    private func replaced(by incoming: IncomingBook, overwrite: Bool) async throws -> StoredBook? {
        let (book, uuids) = (incoming.book, incoming.uuids)
        switch try await database.read({ db in try BookFinder(db).find(book, uuids: uuids) }) {
        case .none: return nil
        case .several, .conflict:
            throw BookRefusal("“\(book.title)” is in the library more than once; none of them was replaced.")
        case .one(let previous):
            // A book whose file is missing is restored by the new document.
            if overwrite { return previous }
            let path = try StagedName.bookPath(previous.book.filename, below: folder.books)
            if try await folder.has(path) { throw BookRefusal("already in library") }
            return previous
        }
    }

    private func store(
        _ incoming: IncomingBook, from copy: ProviderPath, replacing previous: StoredBook?, step: CommandStep
    ) async throws -> StepResult {
        var incoming = incoming
        if let previous { incoming.keep(from: previous.book, readingState: options.keepsReadingState) }
        var files: Set<LibraryFile> = []
        do {
            incoming.book.filename = try await moveIntoBooks(copy, book: incoming.book, files: &files)
            let cover = try await writeCover(incoming.cover, files: &files)
            let result = try await record(incoming, cover: cover, replacing: previous, step: step)
            await release(files)
            return result
        } catch {
            await release(files)
            throw error
        }
    }

    private func record(
        _ incoming: IncomingBook, cover: String?, replacing previous: StoredBook?, step: CommandStep
    ) async throws -> StepResult {
        try await journalled(step) { db in
            let (table, litter) = (BookTable(db), LitterTable(db))
            let id: Int64
            if let previous {
                try litter.add(LibraryFile(.books, name: previous.book.filename))
                try table.update(StoredBook(id: previous.id, book: incoming.book))
                id = previous.id
            } else {
                id = try table.insert(incoming.book)
            }
            try litter.remove(LibraryFile(.books, name: incoming.book.filename))
            try table.replaceCover(of: id, with: cover)
            return .applied(incoming.warnings)
        }
    }

    /// Moves the copy to a name that neither a file nor a row has.
    private func moveIntoBooks(_ copy: ProviderPath, book: LibraryBook, files: inout Set<LibraryFile>) async throws
        -> String
    {
        for number in 1...10_000 {
            let file = LibraryFile(
                .books, name: BookFileName.make(authors: book.authors, title: book.title, number: number))
            guard try await claim(file, &files) else { continue }
            do {
                try await folder.files.moveItem(path: copy, to: try folder.path(of: file), overwrite: false)
                return file.name
            } catch let error where error.isFileExists {
                try await giveUp(file, &files)
            }
        }
        throw BookRefusal("“\(book.title)” is in the library too often to be added again.")
    }

    /// Writes a cover with a new name, and returns that name, or `nil` if there is no cover.
    func writeCover(_ cover: CoverPicture?, files: inout Set<LibraryFile>) async throws -> String? {
        guard let cover else { return nil }
        // An interrupted write leaves a file only in `Incoming`, which is emptied.
        let draft = try folder.newIncoming(cover.fileExtension)
        let file = LibraryFile(.covers, name: draft.name)
        do {
            try await folder.files.writeContents(path: draft, contents: cover.data)
            guard try await claim(file, &files) else { throw FileError.make(.fileWriteFileExists, path: draft) }
            try await folder.files.moveItem(path: draft, to: try folder.path(of: file), overwrite: false)
            return file.name
        } catch {
            await discard(draft)
            throw error
        }
    }
}
