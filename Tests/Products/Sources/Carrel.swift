import Carrel
import Foundation

// Opens a book wherever a URL says that it lies.
try ProviderRegistry.shared.registerBuiltInProviders()
guard let url = URL(string: CommandLine.arguments[1]) else { fatalError("usage: TryCarrel URL") }
let location = try await ProviderRegistry.shared.location(of: url)
let book = try await Publication.open(path: location.path, of: location.provider)
print(book.metadata.title, "by", book.metadata.authors.map(\.name.string).joined(separator: ", "))
