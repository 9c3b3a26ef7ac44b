import Foundation
import FTPFileProvider

// Puts a file into a folder on a server and lists the folder; the password is in $CARREL_PASSWORD.
try ProviderRegistry.shared.register(FTPFileProvider.registration)
guard let url = URL(string: CommandLine.arguments[1]) else { fatalError("usage: TryFTPFileProvider URL") }
let options = ConnectionOptions(credentials: EnvironmentCredentials(password: "CARREL_PASSWORD"))
let place = try await ProviderRegistry.shared.location(of: url, options: options)
let note = try place.path.appending("note.txt")
try await place.provider.writeContents(path: note, contents: Data("Hello".utf8), overwrite: true)
for item in try await place.provider.contentsOfDirectory(path: place.path) { print(item.name) }
try await place.provider.removeItem(path: note)
