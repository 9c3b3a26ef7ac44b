// Also depends on the product LocalFileProvider.
import Foundation
import LocalFileProvider
import Shelf

// Scans a folder of books, and searches it.
let source = ShelfSource(provider: try LocalFileProvider(root: URL(filePath: CommandLine.arguments[1])))
let shelf = try await Shelf.open(folder: URL(filePath: CommandLine.arguments[2]), sources: [source])
try await shelf.scan()
for book in try await shelf.books(ShelfQuery(text: "lamp")).books {
    print("\(book.path): \(book.metadata.title.string)")
}
try await shelf.close()
