import Cryptography
import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// The hash of the bytes in the answer to an upload, which makes a look at the file unnecessary.
///
/// Sources: `Repr-Digest` in RFC 9530, `Digest` in RFC 3230, `Content-MD5` in RFC 1864; `X-Hash-…` is Nextcloud's.
/// `OC-Checksum` is not among them, because it goes with the upload: a server that repeats it has proved nothing.
enum UploadHash {
    /// Bytes up to which a source is read again for its hash.
    private static let maxSize: Int64 = 10 << 20

    /// Returns whether the answer has a hash, and it is that of the source. A hash that differs may be about the answer
    /// itself.
    static func matches(_ head: ResponseHead, _ write: FileWrite) async throws -> Bool {
        let source = write.source.base
        guard source.isRepeatable, let length = source.length, length <= maxSize,
            let (algorithm, expected) = given(in: head)
        else {
            return false
        }
        var hash = Hash(algorithm)
        let bytes = try source.bytes(from: 0)
        while let piece = try await bytes.next() { hash.update(piece) }
        return Data(hash.digest.bytes) == expected
    }

    /// The strongest hash that is known.
    private static func given(in head: ResponseHead) -> (HashAlgorithm, Data)? {
        let digests = [head.joined("Repr-Digest"), head.joined("Digest")].compactMap(\.self).flatMap { values(in: $0) }
        func value(_ name: String, _ header: String) -> Data? {
            digests.first { $0.name == name }?.value
                ?? head[header].flatMap { Hexadecimal.bytes($0.trimmingCharacters(in: .whitespaces)) }.map { Data($0) }
        }
        if let value = value("sha-256", "X-Hash-SHA256") { return (.sha256, value) }
        if let value = value("sha", "X-Hash-SHA1") { return (.sha1, value) }
        if let value = value("md5", "X-Hash-MD5") ?? head["Content-MD5"].flatMap({ Data(base64Encoded: $0) }) {
            return (.md5, value)
        }
        return nil
    }

    /// `sha-256=:AbC=:, md5=…`, with colons around the value or without.
    private static func values(in text: String) -> [(name: String, value: Data)] {
        text.split(separator: ",").compactMap { part in
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard pair.count == 2,
                let value = Data(base64Encoded: pair[1].trimmingCharacters(in: CharacterSet(charactersIn: ":")))
            else {
                return nil
            }
            return (pair[0].lowercased(), value)
        }
    }
}
