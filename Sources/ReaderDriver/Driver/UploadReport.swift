import ReaderMessages

/// What became of the books of an upload.
public struct UploadReport: Hashable, Sendable, Codable {
    /// What became of one book.
    public enum Outcome: Hashable, Sendable, Codable {
        /// It is new on the device.
        case added
        /// Its file took the place of the one there.
        case replaced
        /// What is known of the one there was replaced; its file stayed.
        case updated
        /// The one there stayed as it is.
        case skipped
        /// It is not on the device, for the reason in the sentence.
        case rejected(String)
    }

    /// One book of the upload.
    public struct Entry: Hashable, Sendable, Codable {
        /// Its place among the items that were given, from 0 on.
        public var index: Int
        /// What became of it.
        public var outcome: Outcome
        /// The book on the device, as far as it is known without asking: a new one has the name that it was sent by.
        /// Nil for a rejected one.
        public var book: LibraryBook?
        /// What the user is to be told of it.
        public var warnings: [String]

        /// What became of the item at `index`.
        public init(index: Int, outcome: Outcome, book: LibraryBook? = nil, warnings: [String] = []) {
            self.index = index
            self.outcome = outcome
            self.book = book
            self.warnings = warnings
        }
    }

    /// One for each item, in the order of the items.
    public var entries: [Entry]
    /// What the user is to be told that is about no book alone.
    public var warnings: [String]

    /// A report.
    public init(entries: [Entry] = [], warnings: [String] = []) {
        self.entries = entries
        self.warnings = warnings
    }

    /// Adds what `other` says.
    public mutating func append(_ other: UploadReport) {
        entries = (entries + other.entries).sorted { $0.index < $1.index }
        warnings += other.warnings
    }
}
