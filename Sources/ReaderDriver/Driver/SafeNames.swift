import FileProviderCore
import Foundation
import ReaderMessages

/// Makes unique file names for books in a local folder: safe and not too long.
struct SafeNames: Sendable {
    private let folder: URL
    private var given: Set<String> = []

    init(in folder: URL) { self.folder = folder }

    /// Returns the file for `book`.
    mutating func url(for book: LibraryBook) async -> URL {
        let (title, fileExtension) = Self.parts(of: book)
        var number = 1
        while true {
            let name = SafeFileName.make(title: title, number: number, fileExtension: fileExtension)
            let url = folder.appending(path: name)
            let isFree = await Self.isFree(url)
            // Some folders are case-insensitive.
            if isFree, given.insert(SafeFileName.folded(name)).inserted { return url }
            number += 1
        }
    }

    private static func isFree(_ url: URL) async -> Bool {
        // The check throws nothing, so neither does `run`. If the name is taken after all, the write fails.
        (try? await BlockingThreads.shared.run { !FileManager.default.fileExists(atPath: url.path) }) ?? true
    }

    /// Returns the parts of a name: the last part of the book's file name, else its title; and the extension.
    private static func parts(of book: LibraryBook) -> (title: String, fileExtension: String) {
        let last = book.filename.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        let file = last as NSString
        let isTyped = SafeFileName.isExtension(file.pathExtension)
        let stem = isTyped ? file.deletingPathExtension : last
        return (
            SafeFileName.harmless(stem).isEmpty ? book.title : stem, isTyped ? file.pathExtension.lowercased() : "epub"
        )
    }
}
