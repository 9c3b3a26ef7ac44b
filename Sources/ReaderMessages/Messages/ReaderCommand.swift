/// A driver's command to an application, one file in the command staging folder.
public enum ReaderCommand: Hashable, Sendable {
    /// Adds books from the document staging folder to the library (`upload_books.xml`).
    case uploadBooks(UploadBooks)
    /// Removes books from the library (`delete_books.xml`).
    case deleteBooks(DeleteBooks)
    /// Replaces the metadata of books (`update_metadata.xml`).
    case updateMetadata(UpdateMetadata)
    /// Puts books into exactly the given collections (`rebuild_collections.xml`).
    case rebuildCollections(RebuildCollections)
    /// Updates metadata with only the changed values; an extension (`update_metadata_items.xml`).
    case updateMetadataItems(UpdateMetadata)
    /// Runs an action by name; an extension (`command.xml`).
    case action(ReaderAction)

    /// The kinds of command, each with its own file name.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        // In the order of execution for commands whose timestamps don't decide.
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

        /// Whether it is one of the four that every application supports, rather than an extension.
        public var isStandard: Bool {
            switch self {
            case .deleteBooks, .uploadBooks, .updateMetadata, .rebuildCollections: true
            case .updateMetadataItems, .action: false
            }
        }
    }

    /// The kind of command.
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

    /// When the driver wrote it, in seconds since 1970 by the driver's clock; `nil` if it has no usable timestamp.
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

/// Adds books from the document staging folder to the library.
public struct UploadBooks: Hashable, Sendable {
    /// Seconds since 1970, by the driver's clock.
    public var timestamp: Double?
    /// Whether an existing book is replaced; otherwise it stays.
    public var overwrite: Bool
    /// The books, each with a file in the document staging folder.
    public var books: [UploadedBook]

    /// Creates a command. If `timestamp` is `nil`, it is set when the command is written.
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

    /// Creates a command. If `timestamp` is `nil`, it is set when the command is written.
    public init(timestamp: Double? = nil, books: [BookReference]) {
        self.timestamp = timestamp
        self.books = books
    }
}

/// Replaces the metadata of books.
public struct UpdateMetadata: Hashable, Sendable {
    /// Seconds since 1970, by the driver's clock.
    public var timestamp: Double?
    /// Whether empty collections are removed afterwards.
    public var cleanUpCollections: Bool
    /// The books, each with its changes.
    public var books: [UpdatedBook]

    /// Creates a command. If `timestamp` is `nil`, it is set when the command is written.
    public init(timestamp: Double? = nil, cleanUpCollections: Bool = true, books: [UpdatedBook]) {
        self.timestamp = timestamp
        self.cleanUpCollections = cleanUpCollections
        self.books = books
    }
}

/// Puts books into exactly the given collections.
public struct RebuildCollections: Hashable, Sendable {
    /// Seconds since 1970, by the driver's clock.
    public var timestamp: Double?
    /// The books, each with all its collections.
    public var books: [CollectedBook]

    /// Creates a command. If `timestamp` is `nil`, it is set when the command is written.
    public init(timestamp: Double? = nil, books: [CollectedBook]) {
        self.timestamp = timestamp
        self.books = books
    }
}

/// An action by name, with books or parameters. The application defines its meaning.
public struct ReaderAction: Hashable, Sendable {
    /// Seconds since 1970, by the driver's clock.
    public var timestamp: Double?
    /// The action, such as `LockBooks`.
    public var type: String
    /// The books that the action is about, if any.
    public var books: [BookReference]
    /// Further parameters by name.
    public var parameters: [String: String]

    /// Creates a command. If `timestamp` is `nil`, it is set when the command is written.
    public init(timestamp: Double? = nil, type: String, books: [BookReference] = [], parameters: [String: String] = [:])
    {
        self.timestamp = timestamp
        self.type = type
        self.books = books
        self.parameters = parameters
    }

    /// The action that copies the file of each of its books into the document staging folder, where the driver reads
    /// and removes it. The name there is ``exportName`` with the index of the book in front of it: `0-`, `1-` and so
    /// on.
    public static let exportBooks = "ExportBooks"
    /// The parameter of ``exportBooks`` for the names after the number: a name, not a path.
    public static let exportName = "name"
}
