import ReaderMessages

/// The results of an upload.
public struct UploadReport: Hashable, Sendable, Codable {
    /// The result for one book.
    public enum Outcome: Hashable, Sendable, Codable {
        /// The book is new on the device.
        case added
        /// The book's file replaced the existing one.
        case replaced
        /// The metadata of the existing book was replaced; its file stayed.
        case updated
        /// The existing book stayed unchanged.
        case skipped
        /// The book is not on the device, for the reason in this sentence.
        case rejected(String)
    }

    /// One book of the upload.
    public struct Entry: Hashable, Sendable, Codable {
        /// The index of the item, from 0 on.
        public var index: Int
        /// The result.
        public var outcome: Outcome
        /// The book on the device as far as known without asking; a new book has the name that it was sent with. `nil`
        /// for a rejected book.
        public var book: LibraryBook?
        /// Warnings for the user about this book.
        public var warnings: [String]

        /// Creates the entry for the item at `index`.
        public init(index: Int, outcome: Outcome, book: LibraryBook? = nil, warnings: [String] = []) {
            self.index = index
            self.outcome = outcome
            self.book = book
            self.warnings = warnings
        }
    }

    /// The entries, one per item, in the order of the items.
    public var entries: [Entry]
    /// Warnings for the user that are about no single book.
    public var warnings: [String]

    /// Creates a report.
    public init(entries: [Entry] = [], warnings: [String] = []) {
        self.entries = entries
        self.warnings = warnings
    }

    /// Adds the entries and warnings of `other`.
    public mutating func append(_ other: UploadReport) {
        entries = (entries + other.entries).sorted { $0.index < $1.index }
        warnings += other.warnings
    }
}
