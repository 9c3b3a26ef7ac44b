import Cryptography
public import FileProviderCore
import Foundation

/// The hash of a file's whole content, and whether the storage computed it.
public struct FileChecksum: Sendable, Hashable {
    /// The kind of hash, such as `sha256`: one of ``computedKinds`` or of the storage's
    /// ``/FileProviderCore/Capabilities/hashKinds``.
    public let kind: String
    /// The hash in lower-case hexadecimal digits.
    public let value: String
    /// Whether the storage computed or stores the hash; false if the file was read to compute it.
    public let isByStorage: Bool

    /// The kinds that this machine computes for any provider's files: `md5`, `sha1`, `sha256`, `sha384` and `sha512`.
    public static let computedKinds = HashAlgorithm.allCases.map(\.rawValue)

    /// Returns the hash of the file at `path`, from the storage if it provides this kind, else by reading the file.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` for a kind that neither the storage nor this machine computes; as
    ///   ``/FileProviderCore/FileCopy/read(into:progress:)``.
    /// - Complexity: One request if the storage computes the hash; else one read of the file, which is not held in
    ///   memory.
    public static func of(
        _ path: ProviderPath, of provider: any FileProviderReadWrite, kind: String = "sha256"
    ) async throws -> FileChecksum {
        let isComputed = computedKinds.contains(kind)
        if let storage = provider as? any FileProviderChecksums,
            try await storage.capabilities().hashKinds.contains(kind)
        {
            do {
                return FileChecksum(
                    kind: kind, value: try await storage.checksum(of: path, kind: kind), isByStorage: true)
            } catch let error where isComputed && (!error.concernsEveryItem || (error as? URLError)?.code == .timedOut)
            {
                // The storage has no hash for this file, or takes too long. Reading it shows whether the file is
                // readable.
            }
        }
        return try await read(path, of: provider, kind: kind)
    }

    /// Returns the hash of the bytes that the provider delivers, without asking for the provider's own hash.
    ///
    /// - Throws: As ``of(_:of:kind:)``.
    static func read(_ path: ProviderPath, of provider: any FileProviderReadWrite, kind: String) async throws
        -> FileChecksum
    {
        guard let tap = HashTap(kind: kind) else {
            throw FileError.unsupported("compute a checksum of the kind “\(kind)”", by: provider.type, path: path)
        }
        try await FileCopy(path, of: provider, tap: tap).read(into: DiscardingSink())
        // Never nil: a file's bytes pass in order.
        guard let value = tap.hexadecimal else { throw FileError.changedWhileReading(path) }
        return FileChecksum(kind: kind, value: value, isByStorage: false)
    }
}
