import Foundation
import S3FileProvider

// Puts a file into a bucket and lists the bucket; the keys are in $AWS_ACCESS_KEY_ID and $AWS_SECRET_ACCESS_KEY.
try ProviderRegistry.shared.register(S3FileProvider.registration)
guard let url = URL(string: CommandLine.arguments[1]) else { fatalError("usage: TryS3FileProvider s3://BUCKET/ ENDPOINT") }
let options = ConnectionOptions(credentials: S3Credentials(), settings: ["endpoint": CommandLine.arguments[2]])
let place = try await ProviderRegistry.shared.location(of: url, options: options)
let note = try place.path.appending("note.txt")
try await place.provider.writeContents(path: note, contents: Data("Hello".utf8), overwrite: true)
for item in try await place.provider.contentsOfDirectory(path: place.path) { print(item.name) }
try await place.provider.removeItem(path: note)
