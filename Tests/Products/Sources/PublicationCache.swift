import Foundation
import PublicationCache

let cache = ResourceCache(folder: URL(filePath: CommandLine.arguments[1]), capacity: 1 << 20)
print(try await cache.usedBytes(), "bytes kept")
