import Carrel

/// Values that a device has and the books' files don't. An update without them would clear them.
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

    /// Adds to `metadata` the rating of the same book on the device, and with `collections` its collections.
    func add(to metadata: inout BookMetadata, collections: Bool) {
        guard let book = same(as: metadata) else { return }
        metadata.rating = book.rating
        if collections { metadata.collections = book.collections }
    }

    /// Finds the book by uuid, or by title and authors if one of the two has no uuid.
    private func same(as metadata: BookMetadata) -> LibraryBook? {
        let uuid = BookUUID.canonical(metadata.uuid)
        if let same = byUUID[uuid] { return same }
        let alike = (byTitle[metadata.title] ?? []).filter {
            $0.authors == metadata.authors && (uuid.isEmpty || BookUUID.canonical($0.uuid).isEmpty)
        }
        return alike.count == 1 ? alike[0] : nil
    }
}
