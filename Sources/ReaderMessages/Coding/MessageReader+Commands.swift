extension MessageReader {
    /// Reads the message as a command of the given kind.
    func command(_ kind: ReaderCommand.Kind) throws -> ReaderCommand {
        let tag = try root(kind.rootElement)
        let timestamp = timestamp(of: tag)
        switch kind {
        case .deleteBooks:
            return .deleteBooks(DeleteBooks(timestamp: timestamp, books: try manifest(reference)))
        case .uploadBooks:
            let overwrite = flag("overwrite", of: tag) ?? false
            return .uploadBooks(
                UploadBooks(timestamp: timestamp, overwrite: overwrite, books: try manifest(uploadedBook)))
        case .updateMetadata:
            return .updateMetadata(try update(tag, timestamp))
        case .updateMetadataItems:
            return .updateMetadataItems(try update(tag, timestamp))
        case .rebuildCollections:
            return .rebuildCollections(RebuildCollections(timestamp: timestamp, books: try manifest(collectedBook)))
        case .action:
            return .action(try action(tag, timestamp))
        }
    }

    private func update(_ tag: Tag, _ timestamp: Double?) throws -> UpdateMetadata {
        let cleanUp = flag("cleanupcollections", of: tag) ?? false
        return UpdateMetadata(timestamp: timestamp, cleanUpCollections: cleanUp, books: try manifest(updatedBook))
    }

    private func action(_ tag: Tag, _ timestamp: Double?) throws -> ReaderAction {
        let type = MessageValue.trimmed(tag["type"] ?? "")
        guard !type.isEmpty else { throw malformed("it does not name an action") }
        var action = ReaderAction(timestamp: timestamp, type: type)
        try eachChild { child in
            switch child.name {
            case "manifest": try books(into: &action.books, reference)
            case "parameters": try parameters(into: &action.parameters)
            default: break
            }
        }
        return action
    }

    private func parameters(into parameters: inout [String: String]) throws {
        try eachChild { child in
            guard child.name == "parameter" else { return }
            guard let name = child["name"] else { return warn("A parameter without a name was left out.") }
            guard parameters.updateValue(try text(), forKey: name) == nil else {
                throw malformed("it has the parameter “\(StagedName.shown(name))” twice")
            }
        }
    }

    // MARK: Books

    /// Reads the books of a command, which must have a list of them, even an empty one.
    private func manifest<Book>(_ read: (Tag) throws -> Book) throws -> [Book] {
        var found: [Book] = []
        var hasManifest = false
        try eachChild { child in
            guard child.name == "manifest" else { return }
            hasManifest = true
            try books(into: &found, read)
        }
        guard hasManifest else { throw malformed("it has no list of books") }
        return found
    }

    private func books<Book>(into found: inout [Book], _ read: (Tag) throws -> Book) throws {
        try eachChild { child in
            guard child.name == "book" else { return }
            guard found.count < limits.books else { throw hostile("it has more than \(limits.books) books") }
            found.append(try read(child))
        }
    }

    private func reference(_ tag: Tag) -> BookReference {
        BookReference(
            author: tag["author"] ?? "", filename: tag["filename"] ?? "", title: tag["title"] ?? "",
            uuid: tag["uuid"] ?? "")
    }

    private func collectedBook(_ tag: Tag) throws -> CollectedBook {
        var book = CollectedBook(reference(tag), collections: [])
        try eachChild { if $0.name == "collections" { book.collections += try texts(of: "collection") } }
        return book
    }

    private func uploadedBook(_ tag: Tag) throws -> UploadedBook {
        var book = UploadedBook(filename: tag["filename"] ?? "", coverHash: tag["coverhash"])
        book.isLocked = flag("locked", of: tag)
        book.wordCount = value("wordcount", of: tag, MessageValue.count)
        try eachChild { child in
            switch child.name {
            case "collections": book.collections += try texts(of: "collection")
            case "cover": book.cover = try cover(child)
            default: break
            }
        }
        return book
    }

    private func updatedBook(_ tag: Tag) throws -> UpdatedBook {
        var book = UpdatedBook(reference(tag), hasTitle: tag["title"] != nil, hasAuthor: tag["author"] != nil)
        book.authorSort = tag["authorsort"]
        book.titleSort = tag["titlesort"]
        book.pubDate = value("pubdate", of: tag, MessageValue.day)
        book.publisher = tag["publisher"]
        book.series = tag["series"]
        book.seriesIndex = value("seriesindex", of: tag, MessageValue.decimal)
        book.rating = value("rating", of: tag, MessageValue.rating)
        book.isLocked = flag("locked", of: tag)
        book.wordCount = value("wordcount", of: tag, MessageValue.count)
        book.newUUID = tag["newuuid"]
        try eachChild { child in
            switch child.name {
            case "authors": book.authors = try (book.authors ?? []) + texts(of: "author")
            case "collections": book.collections = try (book.collections ?? []) + texts(of: "collection")
            case "subjects": book.subjects = try (book.subjects ?? []) + texts(of: "subject")
            case "description": book.description = try text()
            case "cover": book.cover = try cover(child)
            default: break
            }
        }
        return book
    }

    private func cover(_ tag: Tag) throws -> EncodedCover {
        let cover = EncodedCover(
            hash: tag["hash"], encoding: MessageValue.trimmed(tag["encoding"] ?? "base64"), text: try text())
        guard cover.decodedSize <= limits.cover else {
            throw hostile("it has a cover of more than \(limits.cover) bytes")
        }
        return cover
    }
}
