import Foundation
import HTTPFileProvider

// Reads the first bytes of a file on a web server.
try ProviderRegistry.shared.register(WebFileProvider.registration)
guard let url = URL(string: CommandLine.arguments[1]) else { fatalError("usage: TryHTTPFileProvider URL") }
let location = try await ProviderRegistry.shared.location(of: url)
print(try await location.provider.contents(path: location.path, part: .range(0..<4)).map { String($0, radix: 16) })
