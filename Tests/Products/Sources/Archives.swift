// Also depends on the product LocalFileProvider.
import Archives
import Foundation
import LocalFileProvider

let file = URL(filePath: CommandLine.arguments[1])
let folder = try LocalFileProvider(root: file.deletingLastPathComponent())
let archive = try await ZIPArchive.open(folder.open(path: ProviderPath(file.lastPathComponent)))
for entry in archive.entries { print(entry.path, entry.length) }
await archive.close()
