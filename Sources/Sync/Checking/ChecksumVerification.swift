public import FileProviderCore
import Foundation

/// Compares the hash of the bytes that were copied with the hash of the resulting file.
///
/// Uses the target's own hash if it computes one (``/FileProviderCore/Capabilities/computesHashes``), which costs one
/// request; otherwise reads the file back. The source is hashed while its bytes pass. It is read again only if some of
/// them did not pass, as in a resumed copy or one that the storage made itself.
public struct ChecksumVerification: CopyVerification {
    /// Creates a verification. It has no options.
    public init() {}

    /// Returns a proof that uses a hash which the target provides and this machine computes, or else SHA-256.
    public func proof(
        of path: ProviderPath, source: any FileProviderReadWrite, target: any FileProviderReadWrite
    ) async throws -> any CopyProof {
        let kinds = try await Proof.computedKinds(of: target)
        let kind = kinds.first(where: FileChecksum.computedKinds.contains) ?? "sha256"
        guard let hash = HashTap(kind: kind) else {
            throw FileError.unsupported("compute a checksum of the kind “\(kind)”", by: target.type, path: path)
        }
        return Proof(path: path, source: source, target: target, kind: kind, hash: hash)
    }

    /// One copy.
    private struct Proof: CopyProof {
        let path: ProviderPath
        let source: any FileProviderReadWrite
        let target: any FileProviderReadWrite
        let kind: String
        let hash: HashTap
        private let hasPassed = LockedValue(false)

        init(
            path: ProviderPath, source: any FileProviderReadWrite, target: any FileProviderReadWrite, kind: String,
            hash: HashTap
        ) {
            (self.path, self.source, self.target, self.kind, self.hash) = (path, source, target, kind, hash)
        }

        /// The hashes that the storage computes itself.
        static func computedKinds(of provider: any FileProviderReadWrite) async throws -> [String] {
            guard provider is any FileProviderChecksums else { return [] }
            let capabilities = try await provider.capabilities()
            return capabilities.computesHashes ? capabilities.hashKinds : []
        }

        /// The hash of the bytes that the storage has: by itself if it computes it, else by reading the file.
        private static func checksum(of path: ProviderPath, of provider: any FileProviderReadWrite, kind: String)
            async throws -> FileChecksum
        {
            try await computedKinds(of: provider).contains(kind)
                ? FileChecksum.of(path, of: provider, kind: kind) : FileChecksum.read(path, of: provider, kind: kind)
        }

        func begin(_ extent: FileExtent) throws {
            hasPassed.update { $0 = true }
            try hash.begin(extent)
        }

        func restart(at offset: Int64) throws { hash.restart(at: offset) }

        func pass(_ bytes: UnsafeRawBufferPointer) throws -> FlowState { try hash.pass(bytes) }

        func check(_ destination: ProviderPath) async throws {
            let passed = hasPassed.value ? hash.hexadecimal : nil
            let sent: String
            if let passed {
                sent = passed
            } else {
                sent = try await Self.checksum(of: path, of: source, kind: kind).value
            }
            let found = try await Self.checksum(of: destination, of: target, kind: kind)
            guard found.value != sent else { return }
            throw FileError.make(
                .fileReadCorruptFile, path: destination, url: target.url(of: destination),
                sentence: "“\(destination)” differs from its source: its \(kind) is \(found.value), "
                    + "that of “\(path)” is \(sent). The copy was not removed; copy the file again.")
        }
    }
}
