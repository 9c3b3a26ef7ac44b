public import CurlTransport
public import FileProviderCore
public import Foundation

/// What one service over HTTP does in its own way: its requests, its answers, its errors.
///
/// ``HTTPFileProvider`` does the rest: transfers with progress and back-pressure, cancellation, retries, ranges that go
/// on where a connection broke, logins, redirects, caching, and Foundation's errors. What has no default has to be
/// written, or it does not compile. A `DecodingError` of a service is told as an answer that is not the service's own,
/// `URLError(.badServerResponse)`.
public protocol HTTPService: Sendable {
    /// The provider's name, such as `S3`: for display, and to compare what two providers are.
    static var type: String { get }

    /// What holds on this server. Asked for once in a provider's life.
    ///
    /// - Parameter connection: For a question to the server, if it takes one.
    func capabilities(over connection: HTTPConnection) async throws -> Capabilities

    /// What is at `path`; the root is a folder that is always there.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` when nothing is.
    func attributesOfItem(path: ProviderPath, over connection: HTTPConnection) async throws -> FileObject

    /// The request for a page of the folder at `path`; nil ends the listing.
    ///
    /// - Parameter token: What the page before gave; nil for the first page.
    /// - Throws: `CocoaError(.featureUnsupported)` where the service has no listings.
    func request(forContentsOf path: ProviderPath, token: String?) throws -> HTTPRequest?

    /// Reads the answer to ``request(forContentsOf:token:)``: direct children alone, and how to ask for the next page.
    func page(ofContentsOf path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage

    /// The one request that does `operation`; nil where the service cannot do it, or only in several: see
    /// ``perform(_:overwrite:progress:over:)``.
    ///
    /// The provider has looked before: what an operation starts from is there, and so is the folder it leads to.
    ///
    /// - Parameters:
    ///   - overwrite: Whether what is at the destination may be replaced. A server that can decide that itself is to be
    ///     told.
    ///   - attributes: What is known of a file that is written.
    func request(for operation: HTTPOperation, overwrite: Bool, attributes: HTTPWriteAttributes) throws -> HTTPRequest?

    /// What the server meant by an answer that is an error: `code` may be put right, where a service says 409 for what
    /// others call 404.
    ///
    /// - Parameters:
    ///   - path: The item that the request was about.
    ///   - data: The answer's body, 64 KiB of it at most.
    func serverError(with code: FileProviderHTTPErrorCode, path: ProviderPath, data: Data) -> any FileProviderHTTPError

    // MARK: What has a default

    /// Whether there is a folder at `path`: asked before something is put into it. The default looks at its attributes.
    func isFolder(path: ProviderPath, over connection: HTTPConnection) async throws -> Bool

    /// The written file as the storage has it now, once the server took the last byte. Called after a write in one
    /// request, and after an upload in parts that did not look itself (``HTTPUploadSession/looksAfterwards``).
    ///
    /// An answer of 200 proves little: a proxy or a login page gives the same. The default looks at the attributes of
    /// ``file``. A service whose answers prove the write, by the length or a hash of the bytes, saves that request.
    ///
    /// - Parameters:
    ///   - file: The path, the number of bytes that were sent, and the tag in the answer.
    ///   - answer: The answer to the write, or to the end of the upload.
    ///   - attributes: As in ``request(for:overwrite:attributes:)``.
    /// - Returns: `file`, with what was learnt. Without a size, nothing but the answer proves the write: the item
    ///   cannot be looked at.
    /// - Throws: `CocoaError(.fileWriteUnknown)` if the file is missing or has another size.
    func confirmed(
        _ file: FileObject, answer: ResponseHead, attributes: HTTPWriteAttributes, over connection: HTTPConnection
    ) async throws -> FileObject

    /// Capacity and free space; nil, the default, where the service does not tell.
    func storageProperties(over connection: HTTPConnection) async throws -> VolumeObject?

    /// Whether the server answers, and lets this user in.
    ///
    /// The default asks for a page of the root's listing and reads it, so that a proxy or a login page in front of the
    /// service is no answer. A service without listings looks at the root, which then takes a request.
    ///
    /// - Throws: Why it does not.
    func checkReachability(over connection: HTTPConnection) async throws

    /// Other origins that are the service's own, such as that of the host which has the bytes of files: they get the
    /// login, too, where it is a token or a signature. None by default.
    ///
    /// A request goes there by ``HTTPRequest/url``. Only `https`, or this machine's loopback, is taken for one.
    var ownOrigins: Set<Origin> { get }

    /// Proves in each request who sends it. Nil, the default, logs in with Basic, Digest or Bearer, as the credentials
    /// say.
    var signer: (any HTTPRequestSigner)? { get }

    /// Carries out an operation that changes something: the place for what takes several requests. The default sends
    /// the one that ``request(for:overwrite:attributes:)`` gives.
    ///
    /// - Parameter progress: Counts items, of a copy bytes.
    /// - Throws: `CocoaError(.featureUnsupported)` for what the service cannot do.
    func perform(
        _ operation: HTTPOperation, overwrite: Bool, progress: ProgressReporter, over connection: HTTPConnection)
        async throws
}

/// A service whose long files go up in parts.
public protocol HTTPUploadingService: HTTPService {
    /// Bytes that go up in one request. What is longer, or of unknown length, goes through
    /// ``uploadSession(path:overwrite:attributes:over:)``.
    var singleWriteLimit: Int { get }

    /// Whether a file that goes up in one request is read into memory before, up to ``singleWriteLimit`` bytes. False
    /// by default.
    ///
    /// For a service that wants a digest of the bytes, or whose server keeps what came when the source turns out to be
    /// longer than it promised. The bytes come as ``HTTPWriteAttributes/contents``.
    var gathersSingleWrites: Bool { get }

    /// Begins an upload in parts.
    func uploadSession(
        path: ProviderPath, overwrite: Bool, attributes: HTTPWriteAttributes, over connection: HTTPConnection
    ) async throws -> any HTTPUploadSession
}

extension HTTPUploadingService {
    /// The default passes bytes on as they come.
    public var gathersSingleWrites: Bool { false }
}

/// An operation as a service is asked for it.
public enum HTTPOperation: Sendable {
    /// Reading the file there. The provider adds the range.
    case read(ProviderPath)
    /// Making a folder where nothing is.
    case createFolder(ProviderPath)
    /// Writing a file. The provider adds the bytes.
    case write(ProviderPath)
    /// Copying an item, a folder with all it holds.
    case copy(FileObject, to: ProviderPath)
    /// Moving or renaming an item, a folder with all it holds.
    case move(FileObject, to: ProviderPath)
    /// Removing an item; a folder with all it holds where `recursive`, else a folder in which nothing was a moment ago.
    case remove(FileObject, recursive: Bool)

    /// The item that the operation starts from.
    public var path: ProviderPath {
        switch self {
        case .read(let path), .createFolder(let path), .write(let path): path
        case .copy(let item, _), .move(let item, _), .remove(let item, _): item.path
        }
    }

    /// What a service that does not have it cannot do.
    var verb: String {
        switch self {
        case .read: "read"
        case .createFolder: "make folders"
        case .write: "write"
        case .copy: "copy"
        case .move: "move"
        case .remove: "remove"
        }
    }
}

/// What is known of a file before it is written.
public struct HTTPWriteAttributes: Sendable, Hashable {
    /// Bytes; nil where only the end will tell.
    public var length: Int64?
    /// The version that is to be replaced (RFC 9110, section 13.1.1). It was compared before; a server that can is to
    /// compare it, too.
    public var ifMatch: String?
    /// The modification time to keep, where the service can.
    public var modificationDate: Date?
    /// All bytes of the file, where the service gathers them (``HTTPService/gathersSingleWrites``).
    public var contents: Data?
    /// The entry tag of the file that is replaced; nil if there was none, or if it was not looked at.
    public var replacedTag: String?
    /// The modification time of the file that is replaced; nil as above.
    public var replacedDate: Date?
    /// What identifies the source and its version (``WriteOptions/resumption``); nil for a write with which no later one
    /// goes on. The provider keeps the token of an ``HTTPResumableSession`` by it; a service that can find its upload by
    /// it alone needs none.
    public var resumption: String?
    /// The media type to store with the file: the caller's, else that of the name's extension; nil if it is not a
    /// known one. ``contentTypeHeader`` is the header for it.
    public var contentType: String?

    /// Nothing is known, unless it is given.
    public init(
        length: Int64? = nil, ifMatch: String? = nil, modificationDate: Date? = nil, contents: Data? = nil,
        contentType: String? = nil
    ) {
        self.length = length
        self.ifMatch = ifMatch
        self.modificationDate = modificationDate
        self.contents = contents
        self.contentType = contentType
    }

    /// ``contentType`` as headers for the request that writes: one, or none (RFC 9110, section 8.3).
    public var contentTypeHeader: [(name: String, value: String)] { contentType.map { [("Content-Type", $0)] } ?? [] }
}

/// One page of a listing.
public struct HTTPPage: Sendable {
    /// In the order in which they came.
    public var items: [FileObject]
    /// What the next page is asked for with; nil for the last page.
    public var nextToken: String?
    /// Whether the answer shows that there is a folder, also without items. Where no page does, an empty listing is
    /// followed by a look.
    public var showsFolder: Bool
    /// Names on the page that no path can hold, or that stand for a second item: the listing goes on without them and
    /// reports them at its end (``FileError/unusableNames(_:in:url:)``).
    public var leftOut: [[UInt8]] = []

    /// The last page, unless there is a token for another.
    public init(_ items: [FileObject], nextToken: String? = nil, showsFolder: Bool = false) {
        self.items = items
        self.nextToken = nextToken
        self.showsFolder = showsFolder
    }
}

/// Puts into a request what proves who sends it, such as AWS Signature Version 4.
public protocol HTTPRequestSigner: Sendable {
    /// Called for each sending anew, so that a time in it is the present one. The request goes to the service's own
    /// origin.
    func sign(_ request: inout TransferRequest, with credential: Credential) throws

    /// What an answer to a signed request says about the signature: a refusal is told to the credential source, and a
    /// request may be signed and sent once more. The default takes 401 for a refusal, and everything else for none.
    func verdict(on head: ResponseHead) -> HTTPSignatureVerdict
}

/// What a server made of a signature.
public enum HTTPSignatureVerdict: Sendable, Hashable {
    /// It is good, whatever became of the request.
    case accepted
    /// The credential is wrong.
    case refused
    /// The signer has learnt something from the answer, such as the server's clock: the next signature may be good.
    case signAgain
    /// The answer does not tell.
    case unknown
}

extension HTTPRequestSigner {
    /// The default, for servers that answer 401 to a signature that is not good.
    public func verdict(on head: ResponseHead) -> HTTPSignatureVerdict { head.status == 401 ? .refused : .accepted }
}

extension HTTPService {
    /// The default looks at its attributes.
    public func isFolder(path: ProviderPath, over connection: HTTPConnection) async throws -> Bool {
        do { return try await attributesOfItem(path: path, over: connection).isDirectory } catch let error
            where error.isNoSuchFile
        {
            return false
        }
    }

    /// The default looks at the attributes.
    public func confirmed(
        _ file: FileObject, answer: ResponseHead, attributes: HTTPWriteAttributes, over connection: HTTPConnection
    ) async throws -> FileObject {
        var file = file
        do {
            let found = try await attributesOfItem(path: file.path, over: connection)
            if let size = found.size, size != file.size {
                throw HTTPWriteProof.wrongSize(size, of: file, over: connection)
            }
            file.entryTag = file.entryTag ?? found.entryTag
        } catch let error where error.isNoSuchFile {
            throw HTTPWriteProof.missing(file.path, underlying: error, over: connection)
        } catch let error as CocoaError where error.code == .fileReadNoPermission {
            file.size = nil
        }
        return file
    }

    /// The default knows no capacity.
    public func storageProperties(over connection: HTTPConnection) async throws -> VolumeObject? { nil }

    /// The default reads a page of the root's listing, or looks at the root.
    public func checkReachability(over connection: HTTPConnection) async throws {
        let request: HTTPRequest?
        do { request = try self.request(forContentsOf: .root, token: nil) } catch let error as CocoaError
            where error.code == .featureUnsupported
        { request = nil }
        guard let request else {
            _ = try await attributesOfItem(path: .root, over: connection)
            return
        }
        let (data, head) = try await connection.received(request)
        _ = try connection.parsing(Self.self, path: .root) {
            try page(ofContentsOf: .root, data: data, head: head)
        }
    }

    /// The default has one origin, that of the provider's URL.
    public var ownOrigins: Set<Origin> { [] }

    /// The default logs in by the server's challenge.
    public var signer: (any HTTPRequestSigner)? { nil }

    /// The default sends one request.
    public func perform(
        _ operation: HTTPOperation, overwrite: Bool, progress: ProgressReporter, over connection: HTTPConnection
    ) async throws {
        guard let request = try request(for: operation, overwrite: overwrite, attributes: HTTPWriteAttributes()) else {
            throw FileError.unsupported(
                operation.verb, by: Self.type, path: operation.path, url: connection.url(of: operation.path))
        }
        _ = try await connection.send(request)
        progress.advance(by: 1)
    }
}
