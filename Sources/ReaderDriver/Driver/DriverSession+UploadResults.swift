import FileProviderCore
import Foundation
import ReaderMessages

/// A book on the device whose metadata is updated by an item of an upload.
struct UploadUpdate: Sendable {
    let index: Int
    let previous: LibraryBook
    let metadata: BookMetadata
    let update: UpdatedBook
    var warnings: [String] = []
}

extension DriverSession {
    /// The most bytes of pictures and descriptions in one command: half of what an application accepts in total.
    private static let commandBytes = 32 << 20

    /// Returns the updates of an upload, in batches that an application accepts.
    func updateBatches(_ updated: [(index: Int, book: LibraryBook)], items: [UploadItem]) -> [[UploadUpdate]] {
        let maxSize = ReaderCommand.maxCoverSize
        let updates = updated.map { index, previous in
            let item = items[index]
            // A cover that is already there is not sent again.
            let cover =
                item.metadata.coverHash == nil || item.metadata.coverHash != previous.coverHash ? item.cover : nil
            let fits = (cover?.count ?? 0) <= maxSize
            return UploadUpdate(
                index: index, previous: previous, metadata: item.metadata,
                update: UpdatedBook(item.metadata, of: previous, cover: fits ? cover : nil),
                warnings: fits ? [] : ["The cover is too large; the old one was kept."])
        }
        return Self.commands(updates) { Self.weight($0.update) }.flatMap { $0.batches(of: options.batchSize) }
    }

    /// Returns the bytes of the values that may be long in an update.
    static func weight(_ update: UpdatedBook) -> Int {
        (update.cover?.text.utf8.count ?? 0) + (update.description?.utf8.count ?? 0)
    }

    /// Returns `elements` in pieces that weigh at most ``commandBytes`` or consist of one element.
    static func commands<Element>(_ elements: [Element], weight: (Element) -> Int) -> [[Element]] {
        var pieces: [[Element]] = []
        var sum = 0
        for element in elements {
            sum += weight(element)
            if pieces.isEmpty || sum > commandBytes {
                pieces.append([])
                sum = weight(element)
            }
            pieces[pieces.count - 1].append(element)
        }
        return pieces
    }

    /// Sends one batch of updates.
    func update(_ updates: [UploadUpdate], info: ApplicationInfo, progress: @escaping DriverProgress) async throws
        -> UploadReport
    {
        let messages: [StatusMessage]
        do {
            messages = try await command(
                .updateMetadata(UpdateMetadata(books: updates.map(\.update))), info: info, progress: progress)
        } catch {
            guard let messages = Self.refusal(error) else { throw error }
            let said = SortedMessages(messages, about: updates.map(\.previous.filename))
            let entries = updates.map {
                UploadReport.Entry(
                    index: $0.index, outcome: .rejected(said.refusal(of: $0.previous.filename)), warnings: $0.warnings)
            }
            return UploadReport(entries: entries, warnings: said.general)
        }
        let said = SortedMessages(messages, about: updates.map(\.previous.filename))
        let entries = updates.map { update in
            let warnings = said[update.previous.filename]
            guard let first = warnings.first else {
                return UploadReport.Entry(
                    index: update.index, outcome: .updated, book: update.metadata.applied(to: update.previous),
                    warnings: update.warnings)
            }
            return UploadReport.Entry(
                index: update.index, outcome: .rejected(first), warnings: update.warnings + warnings.dropFirst())
        }
        return UploadReport(entries: entries, warnings: said.general)
    }

    /// Completes `report` from the application's new list of books: with the listed books, and with whether books that
    /// have messages were nevertheless accepted.
    ///
    /// - Parameter hadList: Whether there was a list before the upload, so that new books can be recognized.
    func resolved(
        _ report: UploadReport, plan: UploadPlan, hadList: Bool, items: [UploadItem], info: ApplicationInfo
    ) async -> UploadReport {
        var report = report
        guard !plan.sent.isEmpty || !plan.updated.isEmpty else { return report }
        let list: BookList
        do {
            guard let known = try await listIfOffered(info) else {
                report.warnings += takeListWarning().filter { !report.warnings.contains($0) }
                return report
            }
            list = known
        } catch {
            // The books are on the device anyway.
            trace.note("The list of books cannot be read after the upload", error)
            report.warnings.append("The new list of books could not be read: \(error.sentence)")
            return report
        }
        let known = BookList.Index(list)
        for index in report.entries.indices {
            let entry = report.entries[index]
            let position = Self.position(of: entry, items[entry.index].metadata, known)
            report.entries[index] = Self.resolved(
                entry, action: plan.actions[entry.index], found: position.map { list.books[$0] }, hadList: hadList)
        }
        return report
    }

    /// Finds the book by the uuid that it was sent with, else by its metadata.
    private static func position(of entry: UploadReport.Entry, _ metadata: BookMetadata, _ index: BookList.Index)
        -> Int?
    {
        var sent = metadata
        sent.uuid = entry.book?.uuid ?? metadata.uuid
        return index.position(of: sent) ?? index.position(of: metadata)
    }

    /// - Parameter found: The book in the new list.
    private static func resolved(
        _ entry: UploadReport.Entry, action: UploadPlan.Action, found: LibraryBook?, hadList: Bool
    ) -> UploadReport.Entry {
        var entry = entry
        var isTaken = false
        switch (action, entry.outcome) {
        case (.skip, _), (.repeated, _), (.refused, _): return entry
        case (.send(let previous), .rejected):
            isTaken = hadList && found.map { Self.isAnotherFile($0, than: previous) } == true
            if isTaken { entry.take(as: previous == nil ? .added : .replaced) }
        case (.update(let previous), .rejected):
            isTaken = found.map { BookMetadata($0) != BookMetadata(previous) } == true
            if isTaken { entry.take(as: .updated) }
        case (.send, _), (.update, _):
            if let found {
                entry.book = found
            } else {
                entry.warnings.append("The book is not in the application's new list of books.")
            }
        }
        guard isTaken, let found else { return entry }
        entry.book = found
        return entry
    }

    /// Whether the file on the device is certainly not the old one.
    private static func isAnotherFile(_ found: LibraryBook, than previous: LibraryBook?) -> Bool {
        guard let previous else { return true }
        return found.filename != previous.filename || found.size != previous.size
            || found.coverHash != previous.coverHash
    }
}

extension UploadReport.Entry {
    /// Turns the reason of a rejection into a warning, because the book was accepted after all.
    fileprivate mutating func take(as outcome: UploadReport.Outcome) {
        if case .rejected(let sentence) = self.outcome { warnings.insert(sentence, at: 0) }
        self.outcome = outcome
    }
}
