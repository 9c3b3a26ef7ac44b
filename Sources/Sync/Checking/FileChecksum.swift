import Cryptography
public import FileProviderCore
import Foundation

/// The hash of a file's whole content, and who computed it.
public struct FileChecksum: Sendable, Hashable {
    /// Such as `sha256`: one of ``computedKinds``, or of those that the storage gives (``Capabilities/hashKinds``).
    public let kind: String
    /// In lower-case hexadecimal digits.
    public let value: String
    /// Whether the storage computed it, or keeps it; false if the file was read for it.
    public let isByStorage: Bool

    /// Kinds that every provider's files can have: `md5`, `sha1`, `sha256`, `sha384` and `sha512`.
    public static let computedKinds = HashAlgorithm.allCases.map(\.rawValue)

    /// The hash of the file at `path`: by the storage where it gives this kind, else by reading the file.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` for a kind that neither the storage nor this machine computes; as
    ///   ``FileCopy/read(into:progress:)``.
    /// - Complexity: One request if the storage computes it; else the file is read once, and not held.
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
                // Of this file it has none, or takes longer than anybody waits. Whether it can be read shows when it
                // is.
            }
        }
        return try await read(path, of: provider, kind: kind)
    }

    /// The hash of the bytes that the provider gives, without a question for its own hash.
    ///
    /// - Throws: As ``of(_:of:kind:)``.
    static func read(_ path: ProviderPath, of provider: any FileProviderReadWrite, kind: String) async throws
        -> FileChecksum
    {
        guard let tap = HashTap(kind: kind) else {
            throw FileError.unsupported("compute a checksum of the kind “\(kind)”", by: provider.type, path: path)
        }
        try await FileCopy(path, of: provider, tap: tap).read(into: DiscardingSink())
        // Never nil: a file that was read came in order.
        guard let value = tap.hexadecimal else { throw FileError.changedWhileReading(path) }
        return FileChecksum(kind: kind, value: value, isByStorage: false)
    }
}
