import FileProviderCore
import Foundation
import Publication

/// First byte: the name, and what the server says of it. Then the file, which is opened as an app does, and read from.
func fuzzPublication(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    var input = FuzzInput(data, size: size)
    guard let choice = input.byte().map(Int.init) else { return 0 }
    let name = names[choice % names.count]
    let mimeType = mimeTypes[choice / names.count % mimeTypes.count]
    let bytes = Data(input.bytes)
    wait {
        let path = try ProviderPath(name)
        let shelf = FuzzShelf(bytes, path: path, mimeType: mimeType)
        defer { precondition(shelf.openFiles == 0, "A file stays open.") }
        let book = try await Publication.open(path: path, of: shelf, options: options)
        precondition(
            book.protection?.isLocked != true || book.protection?.reason != nil, "Nobody says why the book is locked.")
        precondition(book.warnings.count <= WarningLog.maxCount + 1, "There are too many warnings.")
        try checkManifest(book.manifest)
        for link in book.readingOrder.prefix(3) + book.resources.prefix(2) + [book.coverLink].compactMap(\.self) {
            await checkResource(book.get(link))
        }
        await book.close()
    }
    return 0
}

/// One for each parser and kind of archive, and some that say little.
private let names = [
    "book", "book.epub", "book.webpub", "book.audiobook", "book.lpf", "book.cbz", "book.cbr", "book.cb7", "book.cbt",
    "book.zab",
    "book.pdf", "book.zip", "manifest.json", "book.lcpl", "book.lcpdf", "index.html", "page.jpg", "track.mp3",
    "list.m3u",
]

private let mimeTypes = [
    nil, "application/octet-stream", "application/zip", "application/epub+zip", "application/xml",
    "text/html; charset=utf-16",
]

private let options = {
    var options = OpeningOptions()
    options.remote = { EmptyFetcher() }
    options.archiveLimits.maxEntrySize = 1 << 20
    options.archiveLimits.listing = 16 << 20
    return options
}()
