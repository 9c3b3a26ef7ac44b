import Cryptography
public import CurlTransport
public import FileProviderCore
import Foundation
public import HTTPFileProvider

/// Verifies that a written object exists: a proxy also answers `PUT` with 200 and a page.
extension S3Service {
    /// Returns the written file: proven by the answer, if it has the MD5 of the bytes as a tag or their SHA-256; otherwise
    /// by a look.
    ///
    /// - Complexity: Nothing, or one request; two if the file still has the tag of the one that it replaces.
    public func confirmed(
        _ file: FileObject, answer: ResponseHead, attributes: HTTPWriteAttributes, over connection: HTTPConnection
    ) async throws -> FileObject {
        if let contents = attributes.contents, Self.isProven(contents, by: answer) { return file }
        return try await look(at: file, attributes: attributes, over: connection)
    }

    /// Source: Amazon S3 API Reference, `PutObject`: the tag is the MD5 except with some kinds of encryption.
    private static func isProven(_ contents: Data, by answer: ResponseHead) -> Bool {
        if isDigest(answer["ETag"], of: contents) { return true }
        return answer["x-amz-checksum-sha256"] == Digest(.sha256, of: contents).base64
    }

    private static func isDigest(_ tag: String?, of contents: Data) -> Bool {
        tag?.trimmingCharacters(in: ["\""]).lowercased() == S3Upload.digest(contents)
    }

    /// Looks whether `file`, whose tag is that of the answer, is there.
    ///
    /// - Returns: `file`; without a size if the server refuses looks, and the answer was one of S3.
    /// - Throws: `CocoaError(.fileWriteUnknown)` if nothing is there, something else, or still the old file.
    func look(at file: FileObject, attributes: HTTPWriteAttributes, over connection: HTTPConnection) async throws
        -> FileObject
    {
        let path = file.path
        var file = file
        let head = try await connection.send(HTTPRequest("HEAD", path: path, accepts: [403, 404]))
        if head.status == 404 { throw HTTPWriteProof.missing(path, over: connection) }
        guard head.isSuccess else {
            // A user who may only write cannot look at the object. A page of a proxy has no tag.
            if file.entryTag == nil { throw HTTPWriteProof.foreign(path, over: connection) }
            file.size = nil
            return file
        }
        let found = FileObject(path: path, describedBy: head)
        if let size = found.size, size != file.size { throw HTTPWriteProof.wrongSize(size, of: file, over: connection) }
        if try await isOld(found, attributes: attributes, over: connection) {
            throw HTTPWriteProof.unchanged(path, over: connection)
        }
        file.size = found.size
        file.entryTag = file.entryTag ?? found.entryTag
        return file
    }

    /// Whether `found` may be the file that was to be replaced. A tag made of size and time may stay, so the bytes
    /// decide.
    private func isOld(_ found: FileObject, attributes: HTTPWriteAttributes, over connection: HTTPConnection)
        async throws -> Bool
    {
        guard let previous = attributes.replacedTag, previous == found.entryTag else { return false }
        if found.modifiedDate != attributes.replacedDate { return false }
        guard let contents = attributes.contents else { return true }
        if Self.isDigest(previous, of: contents) { return false }
        return try await connection.data(for: HTTPRequest("GET", path: found.path)).0 != contents
    }

    /// Looks whether the marker of a folder is there, unless the answer to its `PUT` proves it.
    func confirmMarker(of path: ProviderPath, answer: ResponseHead, over connection: HTTPConnection) async throws {
        if Self.isProven(Data(), by: answer) { return }
        let head = try await connection.send(HTTPRequest("HEAD", path: path, isFolder: true, accepts: [403, 404]))
        if head.status == 404 { throw HTTPWriteProof.missing(path, over: connection) }
        if !head.isSuccess, answer["ETag"] == nil { throw HTTPWriteProof.foreign(path, over: connection) }
    }
}
