import Foundation
import MemoryFileProvider

// Writes a file into this process's memory, and lists its folder.
try ProviderRegistry.shared.register(MemoryFileProvider.registration)
let place = try await ProviderRegistry.shared.location(of: URL(string: "mem://shelf/")!)
try await place.provider.writeContents(path: place.path.appending("note.txt"), contents: Data("Hello".utf8))
for item in try await place.provider.contentsOfDirectory(path: place.path) { print(item.name) }
