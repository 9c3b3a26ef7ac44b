import Carrel
import Foundation

/// The results of an upload, in the contract's JSON.
struct UploadedFiles: Encodable {
    /// The result for one file.
    enum Outcome: String, Encodable {
        case added, replaced, updated, skipped, rejected
        /// The upload ended before it was certain that the file is on the device.
        case unfinished
    }

    /// One file.
    struct File: Encodable {
        var file: String
        var outcome = Outcome.unfinished
        var reason: String?
        var book: ShownBook?
        var warnings: [String] = []
        /// The exit code if this were the only file; `nil` if it didn't fail.
        fileprivate var failure: ExitStatus?

        private enum CodingKeys: CodingKey {
            case file, outcome, reason, book, warnings
        }
    }

    /// The results in the order of the files.
    private(set) var books: [File]
    /// Warnings that are not about a single file.
    private(set) var warnings: [String] = []

    init(_ files: [String]) { books = files.map { File(file: $0) } }

    /// Records that the file at `operand` could not be opened as a book.
    mutating func refuse(_ operand: Int, _ error: any Error) {
        (books[operand].outcome, books[operand].reason, books[operand].failure) = (
            .rejected, error.innermost.sentence, ExitStatus(error)
        )
    }

    /// Adds a report on the files at `operands`.
    mutating func take(_ report: UploadReport, of operands: [Int]) {
        for entry in report.entries where operands.indices.contains(entry.index) {
            let operand = operands[entry.index]
            books[operand].book = entry.book.map(ShownBook.init)
            books[operand].warnings = entry.warnings
            switch entry.outcome {
            case .added: books[operand].outcome = .added
            case .replaced: books[operand].outcome = .replaced
            case .updated: books[operand].outcome = .updated
            case .skipped: books[operand].outcome = .skipped
            case .rejected(let reason):
                (books[operand].outcome, books[operand].reason, books[operand].failure) = (.rejected, reason, .failed)
            }
        }
        warnings += report.warnings
    }

    /// Records the error that ended the upload as the reason of all files without a result.
    mutating func end(with error: any Error) {
        for operand in books.indices where books[operand].outcome == .unfinished {
            (books[operand].reason, books[operand].failure) = (error.innermost.sentence, ExitStatus(error))
        }
    }

    /// The failure of the whole upload, or `nil` if everything was done as requested.
    var failure: (status: ExitStatus, sentence: String)? {
        let failures = books.compactMap(\.failure)
        if failures.isEmpty {
            guard !books.isEmpty, books.allSatisfy({ $0.outcome == .skipped }) else { return nil }
            return (
                .exists, "The device already has these books; --existing update or --existing replace changes them."
            )
        }
        let status = failures.count < books.count ? .partlyDone : ExitStatus.common(failures)
        return (status, "\(failures.count) of \(books.count) books are not on the device.")
    }
}

extension UploadItem {
    /// Returns the book in a file on this machine.
    /// - Throws: The error, with the name of the file.
    static func book(in file: String, collections: [String]) async throws -> UploadItem {
        let url = URL(filePath: file)
        do {
            let provider = try LocalFileProvider(root: url.deletingLastPathComponent())
            let book = try await Publication.open(path: ProviderPath(url.lastPathComponent), of: provider)
            var metadata = BookMetadata(book.metadata)
            let cover = await book.devicePicture()
            await book.close()
            try Task.checkCancellation()
            if metadata.title.isEmpty { metadata.title = url.deletingPathExtension().lastPathComponent }
            if !collections.isEmpty { metadata.collections = collections }
            return UploadItem(file: url, metadata: metadata, cover: cover)
        } catch {
            throw error.at(file, status: error.isNoBook ? .badFile : nil)
        }
    }
}

extension Publication {
    /// The longer side of a drawn page in pixels, the size of calibre's covers, and the most bytes of a picture that is
    /// sent.
    private static let coverSize = (dimension: 675, bytes: 5 << 20)

    /// The cover in a format that devices accept, or `nil` if it is missing, damaged, too large, or of another format.
    /// The book is uploaded without it.
    fileprivate func devicePicture() async -> Data? {
        guard let cover = try? await cover(dimension: Self.coverSize.dimension, limit: Self.coverSize.bytes) else {
            return nil
        }
        return ["image/jpeg", "image/png", "image/gif", "image/webp"].contains(cover.mediaType) ? cover.data : nil
    }
}

extension BookMetadata {
    /// Converts a book's own metadata as a device would read it from the file.
    init(_ metadata: Metadata) {
        let identifiers = [metadata.identifier].compactMap(\.self) + metadata.alternateIdentifiers.map(\.value)
        let uuid = identifiers.lazy.map { BookUUID.canonical($0) }.first {
            $0.utf8.count == 36 && UUID(uuidString: $0) != nil
        }
        let authors = metadata.authors.map {
            (name: Self.line($0.name.string), sort: Self.line(($0.sortAs ?? $0.name).string))
        }
        .filter { !$0.name.isEmpty }
        self.init(title: Self.line(metadata.title.string), authors: authors.map(\.name), uuid: uuid ?? "")
        titleSort = Self.nonEmptyLine(metadata.sortAs?.string)
        authorSort = Self.nonEmptyLine(authors.map(\.sort).joined(separator: " & "))
        if let parent = metadata.belongsToSeries.first, let name = Self.nonEmptyLine(parent.name?.string) {
            series = name
            seriesIndex = parent.position.flatMap { $0.isFinite ? $0 : nil }
        }
        publisher = Self.nonEmptyLine(metadata.publishers.first?.name.string)
        pubDate = metadata.published.flatMap(Self.day)
        description = Self.nonEmptyLine(metadata.description)
        subjects = metadata.subjects.map { Self.line($0.name.string) }.filter { !$0.isEmpty }
    }

    private static func line(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    private static func nonEmptyLine(_ text: String?) -> String? { text.map(line).flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns the day of a date in UTC, or `nil` for a date out of range and for calibre's placeholder for an unknown
    /// date.
    private static func day(_ date: Date) -> String? {
        guard (-62_135_596_800..<253_402_300_800).contains(date.timeIntervalSince1970) else { return nil }
        let day = date.formatted(Date.ISO8601FormatStyle().year().month().day())
        return day == "0101-01-01" ? nil : day
    }
}
