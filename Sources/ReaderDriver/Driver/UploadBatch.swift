import FileProviderCore
import Foundation
import ReaderMessages

/// One batch of books of an upload.
struct UploadBatch: Sendable {
    /// One book of the batch.
    private struct Document: Sendable {
        let index: Int
        let item: UploadItem
        let name: String
        var size: Int64 = 0
        /// The reason why it can't be sent.
        var failure: String?
    }

    private let folder: ProviderPath
    private var documents: [Document]
    /// The paths that were, or may have been, written.
    private(set) var paths: [ProviderPath] = []
    /// A path where a file may still appear, because its write ended without an answer.
    private(set) var unanswered: ProviderPath?
    /// The writes that have not returned.
    let writing = CallsUnderWay()

    /// - Parameter indices: The indexes of its books among `items`.
    init(indices: [Int], items: [UploadItem], plan: UploadPlan, folder: ProviderPath) {
        self.folder = folder
        documents = indices.map { index in
            Document(index: index, item: items[index], name: plan.stagedName(of: items[index], at: index))
        }
    }

    /// The known bytes of all books.
    var totalSize: Int64 { documents.reduce(0) { $1.failure == nil ? $0 + $1.size : $0 } }

    /// Determines the sizes. A book that can't be opened is rejected; the others go on.
    mutating func measure(with staging: DocumentStaging) async throws {
        for index in documents.indices {
            do { documents[index].size = try await staging.source(of: documents[index].item).length ?? 0 } catch {
                if error.isCancellation { throw error }
                documents[index].failure = error.sentence
            }
        }
    }

    /// Copies the documents, one after the other.
    ///
    /// - Throws: The first error of the storage, which would also affect the other books.
    mutating func stage(with staging: DocumentStaging, progress: @escaping DriverProgress) async throws {
        let total = Double(max(1, totalSize))
        var before: Int64 = 0
        for index in documents.indices where documents[index].failure == nil {
            try Task.checkCancellation()
            let document = documents[index]
            let source: any WriteSource
            do { source = try await staging.source(of: document.item) } catch {
                if error.isCancellation { throw error }
                documents[index].failure = error.sentence
                continue
            }
            let path = try folder.appending(document.name)
            paths.append(path)
            unanswered = path
            let start = before
            try await staging.stage(source, as: document.name, counted: writing) {
                progress(min(1, Double(start + $0) / total))
            }
            unanswered = nil
            before += document.size
        }
    }

    /// The books of the command.
    var manifest: [UploadedBook] {
        documents.filter { $0.failure == nil }.map { document in
            UploadedBook(
                filename: document.name, coverHash: document.item.metadata.coverHash,
                collections: document.item.metadata.collections)
        }
    }

    /// Returns the results according to the application's messages: a book with a message counts as rejected.
    func report(_ messages: [StatusMessage], plan: UploadPlan) -> UploadReport {
        let said = SortedMessages(messages, about: documents.map(\.name))
        let entries = documents.map { document in
            if let failure = document.failure {
                return UploadReport.Entry(index: document.index, outcome: .rejected(failure))
            }
            let warnings = said[document.name]
            if let first = warnings.first {
                return UploadReport.Entry(
                    index: document.index, outcome: .rejected(first), warnings: Array(warnings.dropFirst()))
            }
            return entry(of: document, plan: plan)
        }
        return UploadReport(entries: entries, warnings: said.general)
    }

    /// Returns the results if the application refused the whole command.
    func refusal(_ messages: [StatusMessage]) -> UploadReport {
        let said = SortedMessages(messages, about: documents.map(\.name))
        let entries = documents.map { document in
            UploadReport.Entry(
                index: document.index, outcome: .rejected(document.failure ?? said.refusal(of: document.name)))
        }
        return UploadReport(entries: entries, warnings: said.general)
    }

    private func entry(of document: Document, plan: UploadPlan) -> UploadReport.Entry {
        let metadata = document.item.metadata
        let new = LibraryBook(
            filename: document.name, title: metadata.title, size: document.size, added: Date(timeIntervalSince1970: 0))
        var previous: LibraryBook?
        if case .send(let replaced) = plan.actions[document.index] { previous = replaced }
        var book = metadata.applied(to: previous ?? new)
        book.size = document.size
        // Applications use the file name if the book has no uuid.
        if BookUUID.shaped(book.uuid) == nil { book.uuid = String(document.name.prefix { $0 != "." }) }
        return UploadReport.Entry(index: document.index, outcome: previous == nil ? .added : .replaced, book: book)
    }
}

/// The messages of an application by the file that they are about.
struct SortedMessages: Sendable {
    private var byName: [String: [String]] = [:]
    /// The messages that are about none of the files.
    private(set) var general: [String] = []

    init(_ messages: [StatusMessage], about names: [String]) {
        let known = Set(names)
        for message in messages {
            let text = LogText.shown(message.text, limit: 1000)
            if let name = message.filename, known.contains(name) {
                byName[name, default: []].append(text)
            } else {
                general.append(text)
            }
        }
    }

    /// Returns the reason why `name` was rejected, if the whole command was refused.
    func refusal(of name: String) -> String {
        let reason = self[name].first ?? general.first
        return reason.flatMap { $0.isEmpty ? nil : $0 } ?? "The application refused it without a reason."
    }

    /// The messages about the file `name`, in order of arrival.
    subscript(name: String) -> [String] { byName[name] ?? [] }
}
