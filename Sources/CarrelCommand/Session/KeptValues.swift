import Carrel

/// What a device knows of its books and their files do not: an update that does not say it would clear it.
struct KeptValues {
    private var byUUID: [String: LibraryBook] = [:]
    private var byTitle: [String: [LibraryBook]] = [:]

    init(_ books: [LibraryBook]) {
        for book in books {
            let uuid = BookUUID.canonical(book.uuid)
            if !uuid.isEmpty, byUUID[uuid] == nil { byUUID[uuid] = book }
            byTitle[book.title, default: []].append(book)
        }
    }

    /// Adds to `metadata` the rating of the same book on the device, and with `collections` the collections that it is
    /// in.
    func add(to metadata: inout BookMetadata, collections: Bool) {
        guard let book = same(as: metadata) else { return }
        metadata.rating = book.rating
        if collections { metadata.collections = book.collections }
    }

    /// By uuid, else by title and authors where one of the two has none.
    private func same(as metadata: BookMetadata) -> LibraryBook? {
        let uuid = BookUUID.canonical(metadata.uuid)
        if let same = byUUID[uuid] { return same }
        let alike = (byTitle[metadata.title] ?? []).filter {
            $0.authors == metadata.authors && (uuid.isEmpty || BookUUID.canonical($0.uuid).isEmpty)
        }
        return alike.count == 1 ? alike[0] : nil
    }
}
