extension MessageWriter {
    typealias Attributes = [(name: String, value: String?)]

    mutating func write(_ command: ReaderCommand, within limits: MessageLimits) {
        let attributes = [("timestamp", Self.timestamp(command.timestamp))] + Self.attributes(of: command)
        element(command.kind.rootElement, attributes) { writer in
            switch command {
            case .deleteBooks(let command): writer.manifest(command.books, within: limits) { $0.book($1) }
            case .uploadBooks(let command): writer.manifest(command.books, within: limits) { $0.book($1) }
            case .updateMetadata(let command), .updateMetadataItems(let command):
                writer.manifest(command.books, within: limits) { $0.book($1) }
            case .rebuildCollections(let command): writer.manifest(command.books, within: limits) { $0.book($1) }
            case .action(let command):
                if !command.books.isEmpty { writer.manifest(command.books, within: limits) { $0.book($1) } }
                if !command.parameters.isEmpty { writer.parameters(command.parameters) }
            }
        }
    }

    private static func attributes(of command: ReaderCommand) -> Attributes {
        switch command {
        case .deleteBooks, .rebuildCollections: []
        case .uploadBooks(let command): [("overwrite", command.overwrite ? "yes" : "no")]
        case .updateMetadata(let command), .updateMetadataItems(let command):
            [("cleanupcollections", command.cleanUpCollections ? "yes" : "no")]
        case .action(let command): [("type", command.type)]
        }
    }

    /// Stops once the message is too large for any peer.
    private mutating func manifest<Book>(
        _ books: [Book], within limits: MessageLimits, _ write: (inout MessageWriter, Book) -> Void
    ) {
        element("manifest") { writer in
            for book in books {
                write(&writer, book)
                guard writer.data.count <= limits.command else { return }
            }
        }
    }

    private mutating func parameters(_ parameters: [String: String]) {
        element("parameters") { writer in
            for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
                writer.element("parameter", [("name", name)], text: value)
            }
        }
    }

    // MARK: Books

    private mutating func book(_ book: BookReference) { element("book", Self.attributes(of: book)) }

    private mutating func book(_ book: CollectedBook) {
        element("book", Self.attributes(of: book.reference)) { $0.list(book.collections, "collections", "collection") }
    }

    private mutating func book(_ book: UploadedBook) {
        let attributes: Attributes = [
            ("filename", book.filename), ("coverhash", book.coverHash), ("locked", book.isLocked.map(String.init)),
            ("wordcount", book.wordCount.map(String.init)),
        ]
        element("book", attributes) { writer in
            writer.list(book.collections, "collections", "collection")
            writer.cover(book.cover)
        }
    }

    private mutating func book(_ book: UpdatedBook) {
        element("book", Self.attributes(of: book)) { writer in
            if let description = book.description { writer.element("description", text: description) }
            writer.list(book.authors, "authors", "author")
            writer.list(book.collections, "collections", "collection")
            writer.list(book.subjects, "subjects", "subject")
            writer.cover(book.cover)
        }
    }

    private static func attributes(of book: BookReference) -> Attributes {
        [("author", book.author), ("filename", book.filename), ("title", book.title), ("uuid", book.uuid)]
    }

    /// An invalid day or number is left out, so that the receiver keeps its value.
    private static func attributes(of book: UpdatedBook) -> Attributes {
        [
            ("author", book.hasAuthor ? book.reference.author : nil), ("authorsort", book.authorSort),
            ("filename", book.reference.filename), ("pubdate", book.pubDate.flatMap(MessageValue.day)),
            ("publisher", book.publisher), ("series", book.series),
            ("seriesindex", book.seriesIndex.flatMap(MessageValue.decimal)),
            ("title", book.hasTitle ? book.reference.title : nil), ("titlesort", book.titleSort),
            ("uuid", book.reference.uuid),
            ("rating", book.rating.flatMap(MessageValue.rating)), ("locked", book.isLocked.map(String.init)),
            ("wordcount", book.wordCount.map(String.init)), ("newuuid", book.newUUID),
        ]
    }

    private mutating func list(_ texts: [String]?, _ name: String, _ item: String) {
        guard let texts else { return }
        element(name) { writer in
            for text in texts { writer.element(item, text: text) }
        }
    }

    private mutating func cover(_ cover: EncodedCover?) {
        guard let cover else { return }
        element("cover", [("hash", cover.hash), ("encoding", cover.encoding)], text: cover.text)
    }

    /// Returns `nil` for a time that no peer would accept.
    static func timestamp(_ value: Double?) -> String? {
        value.map(MessageNumber.text).flatMap { MessageNumber.timestamp($0) == nil ? nil : $0 }
    }
}
