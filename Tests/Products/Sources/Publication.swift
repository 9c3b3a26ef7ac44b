import Foundation
import LocalFileProvider
import Publication

let file = URL(filePath: CommandLine.arguments[1])
let folder = try LocalFileProvider(root: file.deletingLastPathComponent())
let book = try await Publication.open(path: ProviderPath(file.lastPathComponent), of: folder)
print(book.metadata.title, "by", book.metadata.authors.map(\.name.string).joined(separator: ", "))
print(try await book.get(book.readingOrder[0]).readAsString().prefix(60))
