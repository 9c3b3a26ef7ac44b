/// What a driver asks of an application, as one file in the command staging folder.
public enum ReaderCommand: Hashable, Sendable {
    /// Takes books from the document staging folder into the library (`upload_books.xml`).
    case uploadBooks(UploadBooks)
    /// Removes books from the library (`delete_books.xml`).
    case deleteBooks(DeleteBooks)
    /// Replaces what the library knows of books (`update_metadata.xml`).
    case updateMetadata(UpdateMetadata)
    /// Puts books into these collections and no others (`rebuild_collections.xml`).
    case rebuildCollections(RebuildCollections)
    /// As ``updateMetadata(_:)``; an extension for messages that hold only what changes (`update_metadata_items.xml`).
    case updateMetadataItems(UpdateMetadata)
    /// An action by name; an extension (`command.xml`).
    case action(ReaderAction)

    /// The kinds of command, each with a file of its own.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        // In the order in which commands found together are carried out when their timestamps don't tell.
        case deleteBooks = "delete_books"
        case uploadBooks = "upload_books"
        case updateMetadata = "update_metadata"
        case rebuildCollections = "rebuild_collections"
        case updateMetadataItems = "update_metadata_items"
        case action = "command"

        /// The name of its file in the command staging folder.
        public var fileName: String { rawValue + ".xml" }

        /// The name of the document's root element.
        public var rootElement: String {
            switch self {
            case .deleteBooks: "deletebooks"
            case .uploadBooks: "uploadbooks"
            case .updateMetadata: "updatemetadata"
            case .rebuildCollections: "rebuildcollections"
            case .updateMetadataItems: "updatemetadataitems"
            case .action: "command"
            }
        }

        /// Whether it is one of the four that every application knows, and not an extension.
        public var isStandard: Bool {
            switch self {
            case .deleteBooks, .uploadBooks, .updateMetadata, .rebuildCollections: true
            case .updateMetadataItems, .action: false
            }
        }
    }

    /// Which kind it is.
    public var kind: Kind {
        switch self {
        case .uploadBooks: .uploadBooks
        case .deleteBooks: .deleteBooks
        case .updateMetadata: .updateMetadata
        case .rebuildCollections: .rebuildCollections
        case .updateMetadataItems: .updateMetadataItems
        case .action: .action
        }
    }

    /// When the driver wrote it, in seconds since 1970 by the driver's clock; nil where it does not say so in a usable
    /// way.
    public var timestamp: Double? {
        get {
            switch self {
            case .uploadBooks(let command): command.timestamp
            case .deleteBooks(let command): command.timestamp
            case .updateMetadata(let command), .updateMetadataItems(let command): command.timestamp
            case .rebuildCollections(let command): command.timestamp
            case .action(let command): command.timestamp
            }
        }
        set {
            switch self {
            case .uploadBooks(var command):
                command.timestamp = newValue
                self = .uploadBooks(command)
            case .deleteBooks(var command):
                command.timestamp = newValue
                self = .deleteBooks(command)
            case .updateMetadata(var command):
                command.timestamp = newValue
                self = .updateMetadata(command)
            case .updateMetadataItems(var command):
                command.timestamp = newValue
                self = .updateMetadataItems(command)
            case .rebuildCollections(var command):
                command.timestamp = newValue
                self = .rebuildCollections(command)
            case .action(var command):
                command.timestamp = newValue
                self = .action(command)
            }
        }
    }
}

/// Takes books from the document staging folder into the library.
public struct UploadBooks: Hashable, Sendable {
    /// Seconds since 1970, by the driver's clock.
    public var timestamp: Double?
    /// Whether a book that is in the library already is replaced; otherwise the one there stays.
    public var overwrite: Bool
    /// The books, each with a file in the document staging folder.
    public var books: [UploadedBook]

    /// A command that is written with the time of its writing.
    public init(timestamp: Double? = nil, overwrite: Bool = false, books: [UploadedBook]) {
        self.timestamp = timestamp
        self.overwrite = overwrite
        self.books = books
    }
}

/// Removes books from the library.
public struct DeleteBooks: Hashable, Sendable {
    /// Seconds since 1970, by the driver's clock.
    public var timestamp: Double?
    /// The books to remove.
    public var books: [BookReference]

    /// A command that is written with the time of its writing.
    public init(timestamp: Double? = nil, books: [BookReference]) {
        self.timestamp = timestamp
        self.books = books
    }
}

/// Replaces what the library knows of books.
public struct UpdateMetadata: Hashable, Sendable {
    /// Seconds since 1970, by the driver's clock.
    public var timestamp: Double?
    /// Whether collections that no book is in any more are removed afterwards.
    public var cleanUpCollections: Bool
    /// The books, each with what becomes of it.
    public var books: [UpdatedBook]

    /// A command that is written with the time of its writing.
    public init(timestamp: Double? = nil, cleanUpCollections: Bool = true, books: [UpdatedBook]) {
        self.timestamp = timestamp
        self.cleanUpCollections = cleanUpCollections
        self.books = books
    }
}

/// Puts books into these collections and no others.
public struct RebuildCollections: Hashable, Sendable {
    /// Seconds since 1970, by the driver's clock.
    public var timestamp: Double?
    /// The books, each with all the collections it is to be in.
    public var books: [CollectedBook]

    /// A command that is written with the time of its writing.
    public init(timestamp: Double? = nil, books: [CollectedBook]) {
        self.timestamp = timestamp
        self.books = books
    }
}

/// An action by name, on books or with parameters; what it means is up to the application.
public struct ReaderAction: Hashable, Sendable {
    /// Seconds since 1970, by the driver's clock.
    public var timestamp: Double?
    /// The action, such as `LockBooks`.
    public var type: String
    /// The books that it is about, if any.
    public var books: [BookReference]
    /// What else the application has to know, by name.
    public var parameters: [String: String]

    /// A command that is written with the time of its writing.
    public init(timestamp: Double? = nil, type: String, books: [BookReference] = [], parameters: [String: String] = [:])
    {
        self.timestamp = timestamp
        self.type = type
        self.books = books
        self.parameters = parameters
    }

    /// The action that puts the file of each of its books into the document staging folder, for the driver to read and
    /// remove. The name there is ``exportName`` with the place of the book in the list in front of it: `0-`, `1-` and
    /// so on.
    public static let exportBooks = "ExportBooks"
    /// The parameter of ``exportBooks`` that the names begin with after the number: one name, no path.
    public static let exportName = "name"
}
