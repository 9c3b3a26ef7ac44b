import Cryptography
import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// The hash of a file that ownCloud and Nextcloud send with it, and take with it. Source: ownCloud's developer manual,
/// “Checksums”.
final class OCChecksum: HTTPBodyProof, @unchecked Sendable {
    // Unchecked: pieces come one call after the other, and the end after them.
    private var hash: Hash
    private let expected: String

    /// Takes the strongest of the hashes in `OC-Checksum`; nil where there is none that is known.
    init?(_ head: ResponseHead) {
        var hashes: [String: String] = [:]
        for word in (head["OC-Checksum"] ?? "").split(separator: " ") {
            let parts = word.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { hashes[parts[0].uppercased()] = parts[1].lowercased() }
        }
        if let value = hashes["SHA256"] {
            (hash, expected) = (Hash(.sha256), value)
        } else if let value = hashes["SHA1"] {
            (hash, expected) = (Hash(.sha1), value)
        } else if let value = hashes["MD5"] {
            (hash, expected) = (Hash(.md5), value)
        } else {
            return nil
        }
    }

    func add(_ bytes: UnsafeRawBufferPointer) { hash.update(bytes) }

    func check(_ path: ProviderPath) throws {
        guard hash.digest.hexadecimal != expected else { return }
        throw FileError.make(
            .fileReadCorruptFile, path: path,
            sentence: "“\(path)” does not match the hash that the server sent with it (OC-Checksum).")
    }

    /// What the server is to compare an upload with: where it does, and the source can be read twice and is soon read.
    static func headers(for write: FileWrite) async throws -> [(name: String, value: String)] {
        let source = write.source.base
        guard write.quirks.takesChecksums, source.isRepeatable, let length = source.length, length <= 10 << 20 else {
            return []
        }
        var hash = Hash(.sha1)
        let bytes = try source.bytes(from: 0)
        while let piece = try await bytes.next() { hash.update(piece) }
        return [("OC-Checksum", "SHA1:" + hash.digest.hexadecimal)]
    }
}
