// Also depends on the product LocalFileProvider.
import FileInformation
import Foundation
import LocalFileProvider

// Shows what a file says of itself, and makes a thumbnail of it.
FileInformationGenerators.shared.registerBuiltInGenerators()
let file = URL(filePath: CommandLine.arguments[1])
let folder = try LocalFileProvider(root: file.deletingLastPathComponent())
let path = try ProviderPath(file.lastPathComponent)
let properties = try await folder.propertiesOfFile(path: path)
for key in properties.keys { print(key, properties[key]?.description ?? "") }
let thumbnail = try await folder.thumbnailOfFile(path: path, dimension: 64)
print("\(thumbnail.width) × \(thumbnail.height), \(thumbnail.mediaType)")
