import FileProviderCore
import Foundation

// The contracts alone: a registry that no provider has entered yet.
let url = URL(filePath: "/books/lamp.epub")
let path = try ProviderPath(percentEncoded: url.path(percentEncoded: true))
do {
    _ = try await ProviderRegistry.shared.location(of: url)
} catch let error as URLError where error.code == .unsupportedURL {
    print("\(path.name): \(error.sentence)")
}
