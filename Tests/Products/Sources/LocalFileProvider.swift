import Foundation
import LocalFileProvider

// Lists the folder at a path of this machine.
try ProviderRegistry.shared.register(LocalFileProvider.registration)
let location = try await ProviderRegistry.shared.location(of: URL(filePath: CommandLine.arguments[1]))
for item in try await location.provider.contentsOfDirectory(path: location.path) { print(item.name) }
