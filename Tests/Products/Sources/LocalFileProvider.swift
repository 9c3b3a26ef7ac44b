import Foundation
import LocalFileProvider

// Lists the folder at a path of this machine.
try ProviderRegistry.shared.register(LocalFileProvider.registration)
let place = try await ProviderRegistry.shared.location(of: URL(filePath: CommandLine.arguments[1]))
for item in try await place.provider.contentsOfDirectory(path: place.path) { print(item.name) }
