public import FileProviderCore
import Foundation
public import HTTPFileProvider

extension S3Service {
    /// Copies and moves by `CopyObject`, and removes by `DeleteObjects` in batches of a thousand.
    ///
    /// A move copies everything, and then removes the versions that were copied. A failed copy of a folder removes the
    /// objects it made; a failed removal leaves a folder that can be removed again.
    ///
    /// - Complexity: A request for each copied object, and one for each thousand removed objects; a move lists its folder
    ///   twice. A move or copy of a folder holds the keys and tags of all copied objects in memory.
    public func perform(
        _ operation: HTTPOperation, overwrite: Bool, progress: ProgressReporter, over connection: HTTPConnection
    ) async throws {
        switch operation {
        case .copy(let item, let destination):
            try await copy(item, to: destination, progress: progress, over: connection)
        case .move(let item, let destination):
            try await move(item, to: destination, progress: progress, over: connection)
        case .remove(let item, let recursive):
            try await remove(item, recursive: recursive, progress: progress, over: connection)
        case .read, .createFolder, .write:
            guard let request = try request(for: operation, overwrite: overwrite, attributes: HTTPWriteAttributes())
            else { return }
            let head = try await connection.send(request)
            if case .createFolder(let path) = operation {
                try await confirmMarker(of: path, answer: head, over: connection)
            }
            progress.advance(by: 1)
        }
    }
}

extension S3Service: HTTPSharingService {
    /// Seconds for which a link works: a week, the most that S3 allows, or until the session token ends.
    private static let linkLifetime = 7 * 86_400

    /// Returns a signed URL; without a credential, the plain URL of the object.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` for a folder.
    public func publicLink(to path: ProviderPath, over connection: HTTPConnection) async throws -> PublicLink {
        guard try await attributesOfItem(path: path, over: connection).isRegularFile else {
            throw FileError.unsupported(
                "make a public link to a folder", by: Self.type, path: path, url: connection.url(of: path))
        }
        let url = url(ofKey: path.bytes)
        guard let credential = try await connection.signingCredential() else { return PublicLink(url: url) }
        let signature = try signing.signature(credential)
        return PublicLink(
            url: signature.presigned(url, seconds: Self.linkLifetime),
            expiration: signature.date + Double(Self.linkLifetime))
    }
}
