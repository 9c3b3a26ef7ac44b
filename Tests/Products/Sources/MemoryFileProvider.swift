import Foundation
import MemoryFileProvider

// Writes a file into this process's memory, and lists its folder.
try ProviderRegistry.shared.register(MemoryFileProvider.registration)
let location = try await ProviderRegistry.shared.location(of: URL(string: "mem://shelf/")!)
try await location.provider.writeContents(path: location.path.appending("note.txt"), contents: Data("Hello".utf8))
for item in try await location.provider.contentsOfDirectory(path: location.path) { print(item.name) }
