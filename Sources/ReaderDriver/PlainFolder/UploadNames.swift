import Foundation
import ReaderMessages

/// The names of all items in a folder.
struct TakenNames {
    private var folded: Set<String>

    init(_ names: [String]) {
        folded = Set(names.map(SafeFileName.folded))
    }

    /// Returns the first free name for a title and marks it as taken.
    mutating func take(title: String, fileExtension: String) -> String {
        var number = 1
        while true {
            let name = SafeFileName.make(title: title, number: number, fileExtension: fileExtension)
            if folded.insert(SafeFileName.folded(name)).inserted { return name }
            number += 1
        }
    }
}

/// Finds the existing book that an uploaded book corresponds to.
struct KnownBooks {
    private var byUUID: [String: Set<String>] = [:]
    private var byTitle: [String: Set<String>] = [:]
    private var withUUID: Set<String> = []

    init(_ entries: some Sequence<FolderCacheEntry>) {
        for entry in entries { add(entry) }
    }

    mutating func add(_ entry: FolderCacheEntry?) {
        guard let entry else { return }
        if !entry.uuid.isEmpty {
            byUUID[Self.key(uuid: entry.uuid, entry.format), default: []].insert(entry.path)
            withUUID.insert(entry.path)
        }
        // A title that is only the file's name doesn't identify the book.
        guard entry.problem == nil || entry.edited.contains(.title) else { return }
        byTitle[Self.key(entry.title, entry.authors, entry.format), default: []].insert(entry.path)
    }

    mutating func remove(_ entry: FolderCacheEntry?) {
        guard let entry else { return }
        byUUID[Self.key(uuid: entry.uuid, entry.format)]?.remove(entry.path)
        byTitle[Self.key(entry.title, entry.authors, entry.format)]?.remove(entry.path)
        withUUID.remove(entry.path)
    }

    /// Returns the path of the book with this uuid, else of the one with the same title and authors, unless both have
    /// uuids.
    func book(of metadata: BookMetadata, format: String) -> String? {
        let uuid = BookUUID.canonical(metadata.uuid)
        if !uuid.isEmpty, let path = byUUID[Self.key(uuid: uuid, format)]?.min() { return path }
        let alike =
            byTitle[
                Self.key(BookExtraction.line(metadata.title), metadata.authors.map { BookExtraction.line($0) }, format)]
            ?? []
        let candidates = alike.filter { uuid.isEmpty || !withUUID.contains($0) }
        return candidates.count == 1 ? candidates.first : nil
    }

    // Single lines contain no line break.
    private static func key(uuid: String, _ format: String) -> String {
        "\(format)\n\(BookUUID.canonical(uuid).prefix(100))"
    }
    private static func key(_ title: String, _ authors: [String], _ format: String) -> String {
        ([format, title] + authors).joined(separator: "\n")
    }
}
