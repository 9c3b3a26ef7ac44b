import Cryptography
import CurlTransport
public import FileProviderCore
public import Foundation
public import HTTPFileProvider
import SafeXML

/// The requests and answers of S3: keys for paths, signatures, XML, uploads in parts.
public struct S3Service: HTTPUploadingService {
    /// `S3`, also for other services with its protocol.
    public static let type = "S3"

    /// The configuration that the service was made with.
    public let configuration: S3Configuration
    /// The URL of the bucket's root, with a slash at its end, without secrets.
    public let bucketURL: URL
    let signing: S3Signer
    let uploads: S3Uploads
    /// Whether the server was found to lack `ListObjectsV2`: from then on listings ask for `ListObjects`.
    let hasOldListingsOnly = LockedValue(false)
    /// Bytes that `CopyObject` copies at most: 5 GiB. Longer objects are copied in parts.
    var copyLimit: Int64 = 5 << 30

    /// Creates the service of a bucket.
    ///
    /// - Throws: `URLError(.badURL)` for an invalid bucket name.
    public init(configuration: S3Configuration) throws {
        self.configuration = configuration
        bucketURL = try configuration.bucketURL()
        signing = S3Signer(region: configuration.region)
        uploads = S3Uploads(bucket: bucketURL)
    }

    /// The signer, by AWS Signature Version 4. Without a credential, requests are not signed, which public buckets accept.
    public var signer: (any HTTPRequestSigner)? { signing }

    /// Returns the abilities of S3, and those of this server by its configuration. Sends nothing.
    public func capabilities(over connection: HTTPConnection) async throws -> Capabilities {
        let conditional = configuration.hasConditionalWrites ? Capabilities.Support.native : .derived
        var capabilities = Capabilities(
            [
                .rangedReading: .native, .suffixReading: .native, .writing: .native, .streamedWriting: .native,
                .atomicReplacement: .native, .exclusiveCreation: conditional, .conditionalWriting: conditional,
                .resumingWrites: .native,
                .folderCreation: .derived,
                .removal: .native, .recursiveRemoval: .derived, .moving: .derived, .serverSideCopying: .native,
                .entryTags: .native,
                .publicLinks: .native,
            ],
            readCost: .request, timePrecision: 1, largestFile: 5 << 40, makesParentFolders: true,
            hashKinds: Self.hashKinds)
        capabilities.hashesEveryFile = false
        return capabilities
    }

    /// Returns the attributes of an object by `HEAD`. If there is none, lists one key: a folder exists if an object is
    /// below it.
    ///
    /// - Complexity: One request for a file, two for a folder or nothing.
    public func attributesOfItem(path: ProviderPath, over connection: HTTPConnection) async throws -> FileObject {
        if path.isRoot {
            _ = try await isFolder(path: path, over: connection)
            return FileObject(path: path, type: .directory)
        }
        guard Self.isKey(path) else {
            throw FileError.make(.fileReadNoSuchFile, path: path, url: connection.url(of: path))
        }
        let request = HTTPRequest("HEAD", path: path, accepts: [301, 400, 403, 404])
        let head = try await connection.send(request)
        if head.isSuccess { return FileObject(path: path, describedBy: head) }
        // An answer to HEAD has no words in it; a refusal of the listing has.
        if try await isFolder(path: path, over: connection) { return FileObject(path: path, type: .directory) }
        throw connection.error(head, request: request)
    }

    /// Returns a `GET` for reading, and a `PUT` for writing and for the marker of a folder. Copies, moves and removals take
    /// several requests.
    public func request(for operation: HTTPOperation, overwrite: Bool, attributes: HTTPWriteAttributes) throws
        -> HTTPRequest?
    {
        switch operation {
        case .read(let path):
            var request = HTTPRequest("GET", path: path)
            request.storesContentEncoding = true
            return request
        case .createFolder(let path):
            try Self.checkKey(path)
            let headers = [("Content-Type", "application/x-directory")] + conditions(overwrite: false)
            return HTTPRequest(
                "PUT", path: path, isFolder: true, headers: headers, body: .data(Data()),
                repetition: repetition(overwrite: false),
                isWriting: true)
        case .write(let path):
            try Self.checkKey(path)
            let headers =
                conditions(overwrite: overwrite, ifMatch: attributes.ifMatch) + attributes.contentTypeHeader
                + (attributes.contents.map(Self.digests) ?? [])
            return HTTPRequest(
                "PUT", path: path, headers: headers,
                repetition: repetition(overwrite: overwrite, ifMatch: attributes.ifMatch),
                isWriting: true)
        case .copy, .move, .remove: return nil
        }
    }

    /// The size of a part: a file that is no longer goes up in one request.
    public var singleWriteLimit: Int { configuration.partSize }

    /// Always true: each body is signed with its digest, and S3 keeps whatever it accepted.
    public var gathersSingleWrites: Bool { true }

    /// Begins a multipart upload, or continues an unfinished one: one of the same
    /// ``/HTTPFileProvider/HTTPWriteAttributes/resumption``, or else one of this process, or an abandoned one, whose
    /// first part has the same bytes.
    public func uploadSession(
        path: ProviderPath, overwrite: Bool, attributes: HTTPWriteAttributes, over connection: HTTPConnection
    ) async throws -> any HTTPUploadSession {
        S3Upload(
            service: self, path: path, attributes: attributes,
            conditions: conditions(overwrite: overwrite, ifMatch: attributes.ifMatch))
    }

    /// Lets the server decide what may be replaced, where it can.
    private func conditions(overwrite: Bool, ifMatch: String? = nil) -> [(name: String, value: String)] {
        guard configuration.hasConditionalWrites else { return [] }
        if let ifMatch { return [("If-Match", ifMatch)] }
        return overwrite ? [] : [("If-None-Match", "*")]
    }

    /// Where the first of two tries was done and its answer lost, the condition of the second would fail by what the
    /// first has made.
    private func repetition(overwrite: Bool, ifMatch: String? = nil) -> HTTPRequest.Repetition {
        conditions(overwrite: overwrite, ifMatch: ifMatch).isEmpty ? .always : .ifNotDone
    }

    /// The hash with which the server compares the bytes that arrive.
    static func digests(_ data: Data) -> [(name: String, value: String)] {
        [
            ("Content-MD5", Digest(.md5, of: data).base64),
            ("x-amz-content-sha256", S3Signature.digest(data)),
        ]
    }
}

// MARK: Keys and requests

extension S3Service {
    /// Whether a path can be a key: S3 takes UTF-8 alone.
    static func isKey(_ path: ProviderPath) -> Bool { String(validating: path.bytes, as: UTF8.self) != nil }

    /// - Throws: `CocoaError(.fileWriteInvalidFileName)` for a name that is not UTF-8.
    static func checkKey(_ path: ProviderPath) throws {
        guard !isKey(path) else { return }
        throw FileError.make(
            .fileWriteInvalidFileName, path: path,
            sentence: "The name of “\(path)” is not UTF-8, which S3 cannot store.")
    }

    /// The URL of any key, one that no path can hold too; of none, the bucket's.
    func url(ofKey key: [UInt8], query: String? = nil) -> URL {
        let text =
            bucketURL.absoluteString + S3Encoding.percentEncoded(key, keepsSlashes: true)
            + (query.map { "?\($0)" } ?? "")
        // Never nil: the bucket's is a URL, and all that is added is unreserved or percent-encoded.
        return URL(string: text) ?? bucketURL
    }

    /// A request for `url`; `path` is named in messages.
    func request(
        _ method: String, _ path: ProviderPath, url: URL, headers: [(name: String, value: String)] = [],
        body: TransferRequest.Body = .none, isWriting: Bool = false
    ) -> HTTPRequest {
        var request = HTTPRequest(method, path: path, headers: headers, body: body, isWriting: isWriting)
        request.url = url
        return request
    }

    /// Sends `request` and reads the document that answers it. S3 may begin an answer with 200 and find out later that
    /// it failed.
    ///
    /// - Parameter name: What the name of the answer's root element begins with; a proxy may answer with a page.
    /// - Throws: Also the error that the document is; one that passes is tried again. `URLError(.badServerResponse)`
    ///   for what is no answer of S3.
    func document(
        for request: HTTPRequest, named name: String, over connection: HTTPConnection
    ) async throws -> (XMLElement, ResponseHead) {
        try await tryingAgain(over: connection) {
            let (data, head) = try await connection.data(for: request, limit: 16 << 20)
            guard let root = try? XMLElement.parse(data) else {
                throw Self.noAnswer(to: request, head: head, over: connection)
            }
            guard let error = S3ErrorDocument(root) else {
                if root.name.hasPrefix(name) { return (root, head) }
                throw Self.noAnswer(to: request, head: head, over: connection)
            }
            // Nothing was done, whatever it was.
            var failure = ResponseHead(status: error.code == "InternalError" ? 503 : 400)
            failure.errorBody = data
            throw LateFailure(error: connection.error(failure, request: request))
        }
    }

    private static func noAnswer(to request: HTTPRequest, head: ResponseHead, over connection: HTTPConnection)
        -> URLError
    {
        let type = head["Content-Type"].map { " (\($0.prefix(100)))" } ?? ""
        return FileError.make(
            .badServerResponse, url: connection.url(of: request.path),
            sentence:
                "The answer to \(request.method) for “\(request.path)”\(type) is not one of S3. A proxy or a login page may be in the way."
        )
    }

    /// A failure that came with status 200: the connection has taken the request for done.
    struct LateFailure: Error {
        let error: any Error
    }

    /// Repeats what ends in a ``LateFailure`` that passes; for other failures the connection has done so already.
    func tryingAgain<Value: Sendable>(
        over connection: HTTPConnection, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            return try await connection.options.retries.run(counters: connection.options.counters) { error in
                (error as? LateFailure)?.error.isTransient == true
            } _: {
                try await body()
            }
        } catch let failure as LateFailure { throw failure.error }
    }
}
