import Foundation
import ReaderMessages

/// Called with the result of each of several commands when it is over, in case a later one fails.
public typealias CommandProgress = @Sendable (CommandReport) -> Void

extension DriverSession {
    /// Removes books from the device. A book that is not there causes a message. A book that is given twice is removed
    /// once.
    ///
    /// - Parameter batch: Called with the result of each command when it is over.
    /// - Throws: ``DriverError``, commandFailed if the application refused all commands; errors of the storage.
    public func delete(
        _ books: [BookReference], progress: @escaping DriverProgress = { _ in },
        batch: @escaping CommandProgress = { _ in }
    ) async throws -> CommandReport {
        let books = books.keepingLast { SameBook($0) }
        return try await inTurn {
            let pieces = self.pieces(books, \.filename) { .deleteBooks(DeleteBooks(books: $0)) }
            return try await self.run(pieces, progress: progress, batch: batch)
        }
    }

    /// Updates the metadata of books: `nil` keeps a value, an empty one clears it.
    ///
    /// If a book is given twice, the later update counts, unless it leaves values unchanged. If the application doesn't
    /// support updates of single values, the missing values are filled in from the list of books.
    ///
    /// - Parameters:
    ///   - cleansUp: Whether empty collections are removed.
    ///   - batch: Called with the result of each command when it is over.
    /// - Throws: As ``delete(_:progress:batch:)``.
    public func update(
        _ books: [UpdatedBook], cleansUp: Bool = true, progress: @escaping DriverProgress = { _ in },
        batch: @escaping CommandProgress = { _ in }
    ) async throws -> CommandReport {
        try await inTurn { try await self.updateAll(books, cleansUp: cleansUp, progress: progress, batch: batch) }
    }

    /// Puts books into exactly the given collections. If a book is given twice, the later one counts.
    ///
    /// - Parameter batch: Called with the result of each command when it is over.
    /// - Throws: As ``delete(_:progress:batch:)``.
    public func rebuildCollections(
        _ books: [CollectedBook], progress: @escaping DriverProgress = { _ in },
        batch: @escaping CommandProgress = { _ in }
    ) async throws -> CommandReport {
        try await inTurn { try await self.run(self.collecting(books), progress: progress, batch: batch) }
    }

    /// Sends an action to the application.
    /// - Throws: ``DriverError``, incompatiblePeer if the application supports no actions; errors of the storage.
    public func perform(_ action: ReaderAction, progress: @escaping DriverProgress = { _ in }) async throws
        -> CommandReport
    {
        try await inTurn {
            let info = try await self.readyForCommand()
            guard info.capabilities.contains(ConnectedMessage.Capability.actions) else {
                throw DriverError(.incompatiblePeer)
            }
            let messages = try await self.command(.action(action), info: info, progress: progress)
            return CommandReport(messages, about: action.books.map(\.filename))
        }
    }

    /// Updates the books on the device to match `list`. Sends only differences, and nothing if there are none.
    ///
    /// Books that are only in `list` are not sent, and books that are only on the device stay.
    /// - Throws: As ``books(refresh:progress:)`` and ``update(_:cleansUp:progress:batch:)``.
    public func sync(_ list: BookList, progress: @escaping DriverProgress = { _ in }) async throws -> SyncReport {
        try await inTurn {
            let present = try await self.currentBooks(refresh: .ifChanged)
            let differences = BookListDifferences(wanted: list, present: present)
            let updates = try await self.updateAll(differences.updates, cleansUp: false, progress: { progress($0 / 2) })
            let collections = try await self.run(
                self.collecting(differences.collections), progress: { progress(0.5 + $0 / 2) })
            return SyncReport(
                updated: updates.done, collected: collections.done, messages: updates.messages + collections.messages)
        }
    }

    // MARK: Commands

    /// One command, and the file names of its books.
    private struct Piece: Sendable {
        let command: ReaderCommand
        let names: [String]
    }

    private nonisolated func pieces<Book>(
        _ books: [Book], _ name: (Book) -> String, _ command: ([Book]) -> ReaderCommand
    ) -> [Piece] {
        books.batches(of: options.batchSize).map { Piece(command: command($0), names: $0.map(name)) }
    }

    private nonisolated func collecting(_ books: [CollectedBook]) -> [Piece] {
        pieces(books.keepingLast { SameBook($0.reference) }, \.reference.filename) {
            .rebuildCollections(RebuildCollections(books: $0))
        }
    }

    private nonisolated func updating(
        _ books: [UpdatedBook], command: (UpdateMetadata) -> ReaderCommand, cleansUp: Bool
    ) -> [Piece] {
        Self.commands(books) { Self.weight($0) }.flatMap { books in
            pieces(books, \.reference.filename) { command(UpdateMetadata(cleanUpCollections: cleansUp, books: $0)) }
        }
    }

    private func updateAll(
        _ books: [UpdatedBook], cleansUp: Bool, progress: @escaping DriverProgress,
        batch: @escaping CommandProgress = { _ in }
    ) async throws -> CommandReport {
        // A partial update doesn't replace earlier updates of the book.
        var books = books.keepingLast { $0.isPartial ? nil : SameBook($0.reference) }
        var single: [UpdatedBook] = []
        if books.contains(where: \.isPartial) {
            let info = try await readyForCommand()
            if info.capabilities.contains(ConnectedMessage.Capability.metadataItems) {
                single = books.filter(\.isPartial)
                books.removeAll(where: \.isPartial)
            } else {
                books = try await completed(books, info)
            }
        }
        let pieces =
            updating(books, command: { .updateMetadata($0) }, cleansUp: cleansUp)
            + updating(single, command: { .updateMetadataItems($0) }, cleansUp: cleansUp)
        return try await run(pieces, progress: progress, batch: batch)
    }

    /// Returns `books` with missing values filled in from the list of books.
    private func completed(_ books: [UpdatedBook], _ info: ApplicationInfo) async throws -> [UpdatedBook] {
        guard let list = try await listIfOffered(info) else { return books }
        let index = BookList.Index(list)
        var known: [Int: UpdatedBook] = [:]
        let completed = books.map { book in
            guard let position = index.position(of: book.reference) else { return book }
            let previous = list.books[position]
            let update =
                book.isPartial
                ? book.completed(from: known[position] ?? UpdatedBook(BookMetadata(previous), of: previous)) : book
            // Later updates of this book start from this one.
            known[position] = update
            return update
        }
        return completed.keepingLast { $0.isPartial ? nil : SameBook($0.reference) }
    }

    /// Sends the commands, if any. A command that the application refuses doesn't hold up the others.
    private func run(
        _ pieces: [Piece], progress: @escaping DriverProgress, batch: @escaping CommandProgress = { _ in }
    ) async throws -> CommandReport {
        var report = CommandReport()
        var refusals = 0
        for (index, piece) in pieces.enumerated() {
            let info = try await readyForCommand()
            let start = Double(index)
            var part: CommandReport
            do {
                let messages = try await command(piece.command, info: info) {
                    progress((start + $0) / Double(pieces.count))
                }
                part = CommandReport(messages, about: piece.names)
            } catch {
                refusals += 1
                guard let messages = Self.refusal(error), refusals < pieces.count else { throw error }
                part = CommandReport(messages, about: piece.names, isRefused: true)
            }
            part.messages += takeListWarning().map { StatusMessage($0) }
            report.append(part)
            batch(part)
        }
        progress(1)
        return report
    }
}

/// The identity of a referenced book: uuid and file name, since two books may have one uuid; else title and author.
private struct SameBook: Hashable {
    private let uuid: String
    private let filename: String
    private let title: String
    private let author: String

    init(_ book: BookReference) {
        uuid = BookUUID.canonical(book.uuid)
        filename = book.filename
        let isNamed = !uuid.isEmpty || !filename.isEmpty
        title = isNamed ? "" : book.title
        author = isNamed ? "" : book.author
    }
}

extension Array {
    /// Returns the elements, keeping only the last one of each key. Elements without a key stay.
    fileprivate func keepingLast<Key: Hashable>(_ key: (Element) -> Key?) -> [Element] {
        var seen: Set<Key> = []
        return Array(reversed().filter { element in key(element).map { seen.insert($0).inserted } ?? true }.reversed())
    }
}
