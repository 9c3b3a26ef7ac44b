import Cryptography
import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider
import SafeXML

/// An upload as a listing tells it.
struct S3UnfinishedUpload: Sendable {
    let upload: String
    /// Whether it was begun so long ago that its process may be gone.
    let isAbandoned: Bool
}

/// The parts of an upload that the server has.
struct S3Parts: Sendable {
    /// Without quotes, by part counted from 0.
    var tags: [Int: String] = [:]
    /// Whether the newest part is so old that no process can be sending one.
    var isAbandoned = true
}

/// The requests of multipart uploads, as uploads and copies need them.
extension S3Service {
    /// - Returns: The identifier of the new upload.
    func startUpload(
        _ key: [UInt8], of path: ProviderPath, headers: [(name: String, value: String)] = [],
        over connection: HTTPConnection
    ) async throws -> String {
        var headers = headers
        // libcurl would call the empty body a form.
        if headers.isEmpty { headers = [("Content-Type", "application/octet-stream")] }
        let request = request(
            "POST", path, url: url(ofKey: key, query: "uploads="), headers: headers, body: .data(Data()),
            isWriting: true)
        let (answer, _) = try await document(for: request, named: "InitiateMultipartUpload", over: connection)
        guard let upload = answer.first("UploadId")?.text, !upload.isEmpty else {
            throw FileError.make(
                .badServerResponse, url: connection.url(of: path), sentence: "The server began no upload of “\(path)”.")
        }
        return upload
    }

    /// Makes the object of its parts, in one step.
    ///
    /// - Returns: The head of the answer, with the object's tag.
    @discardableResult
    func finishUpload(
        _ upload: String, of key: [UInt8], path: ProviderPath, parts: [(number: Int, tag: String)],
        conditions: [(name: String, value: String)] = [], over connection: HTTPConnection
    ) async throws -> ResponseHead {
        let list = parts.map {
            "<Part><PartNumber>\($0.number)</PartNumber><ETag>\(S3Encoding.xml(Array($0.tag.utf8)) ?? "")</ETag></Part>"
        }
        let body = Data("<CompleteMultipartUpload>\(list.joined())</CompleteMultipartUpload>".utf8)
        let request = request(
            "POST", path, url: url(ofKey: key, query: "uploadId=\(S3Encoding.percentEncoded(upload.utf8))"),
            headers: [("Content-Type", "application/xml")] + conditions, body: .data(body), isWriting: true)
        do {
            var (answer, head) = try await document(for: request, named: "CompleteMultipartUpload", over: connection)
            if let tag = answer.first("ETag")?.text, head["ETag"] == nil { head.headers.append(("ETag", tag)) }
            return head
        } catch let error
            where error.isNoSuchFile || (error as? HTTPStatusError)?.code.rawValue == 412
            || (error as? URLError)?.code == .badServerResponse
        {
            // The answer to a first try may have been lost, and the upload with it; or a proxy answered. If the object
            // is there with these parts, all is well.
            let head = try? await connection.send(self.request("HEAD", path, url: url(ofKey: key)))
            guard let head, let tag = head["ETag"], tag == Self.tag(ofParts: parts.map(\.tag)) else { throw error }
            return head
        }
    }

    /// Lets go of the parts. Fails in silence: the failure before it is the one to tell, and services drop old parts by
    /// a rule.
    func abortUpload(_ upload: String, of key: [UInt8], path: ProviderPath, over connection: HTTPConnection) async {
        let query = "uploadId=\(S3Encoding.percentEncoded(upload.utf8))"
        _ = try? await connection.send(request("DELETE", path, url: url(ofKey: key, query: query), isWriting: true))
    }

    /// The uploads of `path` that were begun and not finished, the newest first.
    func unfinishedUploads(of path: ProviderPath, over connection: HTTPConnection) async throws -> [S3UnfinishedUpload]
    {
        let query = "encoding-type=url&prefix=\(S3Encoding.percentEncoded(path.bytes))&uploads="
        let (answer, head) = try await document(
            for: request("GET", path, url: url(ofKey: [], query: query)), named: "ListMultipartUploads",
            over: connection)
        let isEncoded = answer.first("EncodingType")?.text == "url"
        let ours = answer.all("Upload").filter { S3Page.bytes($0.first("Key")?.text ?? "", isEncoded) == path.bytes }
        return ours.sorted { ($0.first("Initiated")?.text ?? "") > ($1.first("Initiated")?.text ?? "") }.compactMap {
            guard let upload = $0.first("UploadId")?.text else { return nil }
            return S3UnfinishedUpload(upload: upload, isAbandoned: Self.isAbandoned($0.first("Initiated"), head))
        }
    }

    /// The parts that the server has.
    func parts(of upload: String, path: ProviderPath, over connection: HTTPConnection) async throws -> S3Parts {
        var parts = S3Parts()
        var marker = 0
        while true {
            let query = "part-number-marker=\(marker)&uploadId=\(S3Encoding.percentEncoded(upload.utf8))"
            let (answer, head) = try await document(
                for: request("GET", path, url: url(ofKey: path.bytes, query: query)), named: "ListParts",
                over: connection)
            for part in answer.all("Part") {
                guard let number = part.first("PartNumber").flatMap({ Int($0.text) }),
                    let tag = part.first("ETag")?.text
                else { continue }
                parts.tags[number - 1] = tag.trimmingCharacters(in: ["\""])
                if !Self.isAbandoned(part.first("LastModified"), head) { parts.isAbandoned = false }
            }
            guard answer.first("IsTruncated")?.text == "true",
                let next = answer.first("NextPartNumberMarker").flatMap({ Int($0.text) }),
                next > marker
            else { return parts }
            marker = next
        }
    }

    /// Whether `time` is 15 minutes past by the server's clock: hardly a part takes as long. One that is not told may
    /// be now.
    private static func isAbandoned(_ time: XMLElement?, _ head: ResponseHead) -> Bool {
        guard let time = time.flatMap({ HTTPDate.parse($0.text) }) else { return false }
        let now = head["Date"].flatMap { HTTPDate.parse($0) } ?? Date()
        return now.timeIntervalSince(time) > 900
    }

    /// The tag of an object made of parts with these tags: the MD5 of their MD5s. Nil where the tags are of another
    /// kind.
    static func tag(ofParts tags: [String]) -> String? {
        var digests = Data()
        for tag in tags {
            guard let digest = Hexadecimal.bytes(tag.trimmingCharacters(in: ["\""])), digest.count == 16 else {
                return nil
            }
            digests += digest
        }
        return "\"\(Digest(.md5, of: digests).hexadecimal)-\(tags.count)\""
    }
}
