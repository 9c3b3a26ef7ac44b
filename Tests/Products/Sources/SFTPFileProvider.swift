import Foundation
import SFTPFileProvider

// Puts a file into a folder on a server and lists the folder; the password is in $CARREL_PASSWORD.
try ProviderRegistry.shared.register(SFTPFileProvider.registration)
guard let url = URL(string: CommandLine.arguments[1]) else { fatalError("usage: TrySFTPFileProvider URL KNOWN-HOSTS") }
let options = ConnectionOptions(
    credentials: EnvironmentCredentials(password: "CARREL_PASSWORD"),
    trust: TrustPolicy(knownHosts: [CommandLine.arguments[2]]),
    settings: ["transport": "libssh2", "config": "no"])
let location = try await ProviderRegistry.shared.location(of: url, options: options)
let note = try location.path.appending("note.txt")
try await location.provider.writeContents(path: note, contents: Data("Hello".utf8), overwrite: true)
for item in try await location.provider.contentsOfDirectory(path: location.path) { print(item.name) }
try await location.provider.removeItem(path: note)
