import CurlTransport
public import FileProviderCore
import Foundation
public import HTTPFileProvider

extension S3Service: HTTPChecksumService {
    /// The kinds of hashes that S3 keeps: the tag of an object that was put in one request is its MD5; the others exist if
    /// the writer sent one or requested one. Source: Amazon S3 User Guide, “Checking object integrity”.
    static let hashKinds = ["md5", "sha256", "sha1", "crc32", "crc32c", "crc64nvme"]

    /// Returns the hash that the server keeps. For an object in parts, S3 mostly keeps a hash of the parts' hashes, which
    /// is not a hash of the file.
    ///
    /// - Complexity: One `HEAD`.
    public func checksum(of item: FileObject, kind: String, over connection: HTTPConnection) async throws -> String {
        let path = item.path
        if item.isDirectory { throw FileError.isADirectory(path, url: connection.url(of: path)) }
        guard Self.hashKinds.contains(kind) else { throw none(kind, path, connection) }
        let head = try await connection.send(
            HTTPRequest("HEAD", path: path, headers: [("x-amz-checksum-mode", "ENABLED")]))
        guard let value = Self.kept(kind, by: head) ?? (kind == "md5" ? md5(by: head) : nil) else {
            throw none(kind, path, connection)
        }
        return value
    }

    private func none(_ kind: String, _ path: ProviderPath, _ connection: HTTPConnection) -> CocoaError {
        FileError.make(
            .featureUnsupported, path: path, url: connection.url(of: path),
            sentence: "The server keeps no \(kind) of “\(path)”.")
    }

    /// A checksum of the whole object, in hexadecimal digits.
    private static func kept(_ kind: String, by head: ResponseHead) -> String? {
        // One of parts says so, and has their number behind it.
        guard head["x-amz-checksum-type"]?.uppercased() != "COMPOSITE", let text = head["x-amz-checksum-\(kind)"],
            let bytes = Data(base64Encoded: text), !bytes.isEmpty
        else { return nil }
        return Hexadecimal.text(bytes)
    }

    /// The tag, where it is the MD5 of the bytes: not of an object in parts, nor of one that is encrypted with a key of
    /// KMS or of the caller, nor in a directory bucket. Source: Amazon S3 API Reference, “Object”.
    private func md5(by head: ResponseHead) -> String? {
        guard let tag = head["ETag"]?.trimmingCharacters(in: ["\""]).lowercased(), tag.count == 32,
            tag.allSatisfy(\.isHexDigit),
            head["x-amz-server-side-encryption"].map({ $0 == "AES256" }) ?? true,
            head["x-amz-server-side-encryption-customer-algorithm"] == nil, !configuration.bucket.hasSuffix("--x-s3")
        else { return nil }
        return tag
    }
}
