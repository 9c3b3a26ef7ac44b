import Foundation
import S3FileProvider

// Puts a file into a bucket and lists the bucket; the keys are in $AWS_ACCESS_KEY_ID and $AWS_SECRET_ACCESS_KEY.
try ProviderRegistry.shared.register(S3FileProvider.registration)
guard let url = URL(string: CommandLine.arguments[1]) else {
    fatalError("usage: TryS3FileProvider s3://BUCKET/ ENDPOINT")
}
let options = ConnectionOptions(credentials: S3Credentials(), settings: ["endpoint": CommandLine.arguments[2]])
let location = try await ProviderRegistry.shared.location(of: url, options: options)
let note = try location.path.appending("note.txt")
try await location.provider.writeContents(path: note, contents: Data("Hello".utf8), overwrite: true)
for item in try await location.provider.contentsOfDirectory(path: location.path) { print(item.name) }
try await location.provider.removeItem(path: note)
