import Cryptography
import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider
import SafeXML
import Synchronization

/// The running uploads of a provider, and those that this process began. They keep a provider from continuing an upload
/// that another process may be using, and two providers from using the same one.
final class S3Uploads: Sendable {
    private struct UploadIDs {
        var running: Set<String> = []
        /// Begun here, and neither finished nor aborted. Those that are not running broke off.
        var begun: Set<String> = []
    }

    private static let known = Mutex(UploadIDs())
    private let bucket: String
    private let running = Mutex(0)

    init(bucket: URL) {
        self.bucket = bucket.absoluteString
    }

    /// How many of this provider's are under way.
    var count: Int { running.withLock { $0 } }

    /// One that was just begun.
    func begin(_ upload: String) {
        _ = Self.known.withLock { $0.begun.insert(name(upload)) }
        _ = take(upload)
    }

    /// Whether it was begun in this process.
    func isOwn(_ upload: String) -> Bool { Self.known.withLock { $0.begun.contains(name(upload)) } }

    /// False when the upload is taken already.
    func take(_ upload: String) -> Bool {
        guard Self.known.withLock({ $0.running.insert(name(upload)).inserted }) else { return false }
        running.withLock { $0 += 1 }
        return true
    }

    /// Lets other providers of this process continue it.
    func release(_ upload: String) {
        guard Self.known.withLock({ $0.running.remove(name(upload)) }) != nil else { return }
        running.withLock { $0 -= 1 }
    }

    /// It is over.
    func end(_ upload: String) { _ = Self.known.withLock { $0.begun.remove(name(upload)) } }

    private func name(_ upload: String) -> String { "\(bucket) \(upload)" }
}

/// A multipart upload: parts in any order, each compared on arrival, and one step in which they become the object.
///
/// Source: Amazon S3 User Guide, “Uploading and copying objects using multipart upload”.
final class S3Upload: HTTPResumableSession {
    private struct State {
        var upload: String?
        /// The parts that the server has from an earlier try: tags by part, counted from 0.
        var found: [Int: String] = [:]
        var sent: [Int: String] = [:]
        /// The MD5 of each part's bytes.
        var digests: [Int: String] = [:]
        /// Bytes of the largest part that was asked for.
        var largest = 1
    }

    private let service: S3Service
    private let path: ProviderPath
    private let attributes: HTTPWriteAttributes
    private let conditions: [(name: String, value: String)]
    private let state = Mutex(State())

    init(
        service: S3Service, path: ProviderPath, attributes: HTTPWriteAttributes,
        conditions: [(name: String, value: String)]
    ) {
        self.service = service
        self.path = path
        self.attributes = attributes
        self.conditions = conditions
    }

    deinit {
        if let upload = state.withLock({ $0.upload }) { service.uploads.release(upload) }
    }

    private var upload: String { state.withLock { $0.upload ?? "" } }

    /// Three of the usual size; fewer of larger ones, and where several uploads run, so that memory stays bounded.
    var concurrentParts: Int {
        let largest = state.withLock { $0.largest }
        return max(1, min(3, (24 << 20) / largest / max(1, service.uploads.count)))
    }

    /// All parts of a file of known length are of one size. Without a length they double with each 900, which is enough
    /// for 5 TiB.
    func size(ofPart number: Int) throws -> Int {
        guard number < 10_000 else {
            throw FileError.make(
                .fileWriteOutOfSpace, path: path,
                sentence: "“\(path)” would have more than the 10,000 parts that S3 takes.")
        }
        let size = partSize(number)
        state.withLock { $0.largest = max($0.largest, size) }
        return size
    }

    private func partSize(_ number: Int) -> Int {
        let usual = service.configuration.partSize
        guard let length = attributes.length else { return min(usual << (number / 900), max(usual, 4 << 30)) }
        let least = (length + 9999) / 10_000
        return least <= Int64(usual) ? usual : Int(clamping: ((least + (1 << 20) - 1) >> 20) << 20)
    }

    /// Goes on with an upload of this key whose first part has the same bytes; else starts one.
    func begin(with first: Data, over connection: HTTPConnection) async throws {
        if try await goOn(with: S3Upload.digest(first), over: connection) { return }
        let upload = try await service.startUpload(
            path.bytes, of: path, headers: attributes.contentTypeHeader, over: connection)
        service.uploads.begin(upload)
        state.withLock { $0.upload = upload }
    }

    private func goOn(with first: String, over connection: HTTPConnection) async throws -> Bool {
        let candidates: [S3UnfinishedUpload]
        do { candidates = try await service.unfinishedUploads(of: path, over: connection) } catch let error
            where !(error is URLError) && !error.isCancellation
        {
            // Some may upload and not look for uploads, and some servers cannot list them: then the file goes up from
            // its start.
            return false
        }
        let free = candidates.filter { service.uploads.isOwn($0.upload) || $0.isAbandoned }.prefix(3).map(\.upload)
        for upload in free where service.uploads.take(upload) {
            // An upload may end between being listed and being looked at.
            if let parts = try? await service.parts(of: upload, path: path, over: connection), parts.tags[0] == first,
                parts.isAbandoned || service.uploads.isOwn(upload)
            {
                state.withLock { ($0.upload, $0.found) = (upload, parts.tags) }
                return true
            }
            service.uploads.release(upload)
        }
        return false
    }

    var token: String? { state.withLock { $0.upload } }

    /// The parts are those that the server lists; each is compared by its tag when its turn comes.
    func resume(_ token: String, over connection: HTTPConnection) async throws -> Bool {
        guard service.uploads.take(token) else { return false }
        do {
            let parts = try await service.parts(of: token, path: path, over: connection)
            state.withLock { ($0.upload, $0.found) = (token, parts.tags) }
            return true
        } catch {
            service.uploads.release(token)
            throw error
        }
    }

    static func digest(_ data: Data) -> String { Digest(.md5, of: data).hexadecimal }

    /// A part's tag is the MD5 of its bytes, except with some kinds of encryption: then everything is sent again.
    func has(_ data: Data, asPart number: Int) -> Bool {
        guard let tag = state.withLock({ $0.found[number] }), tag == Self.digest(data) else { return false }
        state.withLock { ($0.sent[number], $0.digests[number]) = ("\"\(tag)\"", tag) }
        return true
    }

    func request(forPart number: Int, offset: Int64, data: Data, isLast: Bool) throws -> HTTPRequest {
        let query = "partNumber=\(number + 1)&uploadId=\(S3Encoding.percentEncoded(upload.utf8))"
        state.withLock { $0.digests[number] = Self.digest(data) }
        return HTTPRequest("PUT", path: path, query: query, headers: S3Service.digests(data), isWriting: true)
    }

    func sent(part number: Int, _ head: ResponseHead) throws {
        guard let tag = head["ETag"] else {
            throw FileError.make(
                .badServerResponse, url: nil,
                sentence: "The server took a part of “\(path)” and gave no tag for it; a proxy may have answered.")
        }
        state.withLock { $0.sent[number] = tag }
    }

    func finish(length: Int64, over connection: HTTPConnection) async throws -> ResponseHead {
        let parts = state.withLock { $0.sent }.sorted { $0.key < $1.key }.map { (number: $0.key + 1, tag: $0.value) }
        let head = try await service.finishUpload(
            upload, of: path.bytes, path: path, parts: parts, conditions: conditions, over: connection)
        service.uploads.end(upload)
        if isProven(head) { return head }
        let file = FileObject(path: path, type: .regular, size: length, entryTag: head["ETag"])
        _ = try await service.look(at: file, attributes: attributes, over: connection)
        return head
    }

    /// With each part's bytes proven by its tag, the whole is by its own.
    private func isProven(_ head: ResponseHead) -> Bool {
        let tags = state.withLock { state in state.digests.sorted { $0.key < $1.key }.map(\.value) }
        return head["ETag"].map { $0.trimmingCharacters(in: ["\""]) }
            == S3Service.tag(ofParts: tags)?.trimmingCharacters(in: ["\""])
    }

    var looksAfterwards: Bool { true }

    func abort(over connection: HTTPConnection) async {
        guard let upload = state.withLock({ $0.upload }) else { return }
        await service.abortUpload(upload, of: path.bytes, path: path, over: connection)
        service.uploads.end(upload)
    }
}
