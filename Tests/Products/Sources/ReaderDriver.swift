// Also depends on the product LocalFileProvider.
import Foundation
import LocalFileProvider
import ReaderDriver

// Looks whether a reader application is behind a folder; there is none.
let folder = try LocalFileProvider(root: URL(filePath: CommandLine.arguments[1]))
let session = DriverSession(staging: StagingFolder(provider: folder, path: .root))
print(try await session.probe())
