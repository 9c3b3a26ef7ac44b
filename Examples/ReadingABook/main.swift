import Carrel
import Foundation

try ProviderRegistry.shared.registerBuiltInProviders()
guard let url = CommandLine.arguments.dropFirst().first.flatMap({ URL(string: $0) }) else {
    fatalError("usage: reading-a-book URL")
}

let book = try await Publication.open(url)
print(book.metadata.title, "by", book.metadata.authors.map(\.name.string).joined(separator: ", "))
for entry in try await book.contents() { print(" ", entry.title ?? entry.href) }
print(try await book.get(book.readingOrder[0]).readAsString().prefix(500))
await book.close()
