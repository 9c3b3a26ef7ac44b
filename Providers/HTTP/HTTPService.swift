public import CurlTransport
public import FileProviderCore
public import Foundation

/// The part of a provider over HTTP that is particular to one service: its requests, answers and errors.
///
/// ``HTTPFileProvider`` does the rest: transfers with progress and back-pressure, cancellation, retries, ranges that
/// continue where a connection broke, logins, redirects, caching, and Foundation's errors. A service implements the
/// requirements without a default. If it throws a `DecodingError`, callers get `URLError(.badServerResponse)`, because
/// the answer is not the service's own.
public protocol HTTPService: Sendable {
    /// The provider's name, such as `S3`: for display, and to compare what two providers are.
    static var type: String { get }

    /// Returns the capabilities of this server. Called once for each provider.
    ///
    /// - Parameter connection: For a request, if one is needed.
    func capabilities(over connection: HTTPConnection) async throws -> Capabilities

    /// Returns the attributes of the item at `path`. The root is a folder that always exists.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` if nothing is there.
    func attributesOfItem(path: ProviderPath, over connection: HTTPConnection) async throws -> FileObject

    /// Returns the request for a page of the folder at `path`, or nil to end the listing.
    ///
    /// - Parameter token: The token from the page before; nil for the first page.
    /// - Throws: `CocoaError(.featureUnsupported)` if the service has no listings.
    func request(forContentsOf path: ProviderPath, token: String?) throws -> HTTPRequest?

    /// Parses the answer to ``request(forContentsOf:token:)``: only direct children, and the token of the next page.
    func page(ofContentsOf path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage

    /// Returns the one request that does `operation`, or nil if the service cannot do it or needs several: see
    /// ``perform(_:overwrite:progress:over:)``.
    ///
    /// The provider has already looked: the item that the operation starts from exists, and so does the folder of the
    /// destination.
    ///
    /// - Parameters:
    ///   - overwrite: Whether the item at the destination may be replaced. If the server can check this itself, put it
    ///     into the request.
    ///   - attributes: The known attributes of a file that is written.
    func request(for operation: HTTPOperation, overwrite: Bool, attributes: HTTPWriteAttributes) throws -> HTTPRequest?

    /// Returns the service's own error for an answer with an error status. May correct `code`, if the service uses
    /// another status than HTTP does, such as 409 for 404.
    ///
    /// - Parameters:
    ///   - path: The item of the request.
    ///   - data: The first 64 KiB of the answer's body.
    func serverError(with code: FileProviderHTTPErrorCode, path: ProviderPath, data: Data) -> any FileProviderHTTPError

    // MARK: What has a default

    /// Returns whether there is a folder at `path`. Called before an item is put into it. The default looks at its
    /// attributes.
    func isFolder(path: ProviderPath, over connection: HTTPConnection) async throws -> Bool

    /// Returns the written file as the storage now has it, after the server accepted the last byte. Called after a write
    /// in one request, and after an upload in parts that did not look itself (``HTTPUploadSession/looksAfterwards``).
    ///
    /// An answer of 200 proves little: a proxy or a login page sends the same. The default looks at the attributes of
    /// `file`. A service whose answers prove the write, by the length or a hash of the bytes, saves that request.
    ///
    /// - Parameters:
    ///   - file: The path, the number of bytes that were sent, and the tag in the answer.
    ///   - answer: The answer to the write, or to the end of the upload.
    ///   - attributes: As in ``request(for:overwrite:attributes:)``.
    /// - Returns: `file`, with the attributes found. No size means that only the answer proves the write, because the
    ///   server refuses looks.
    /// - Throws: `CocoaError(.fileWriteUnknown)` if the file is missing or has another size.
    func confirmed(
        _ file: FileObject, answer: ResponseHead, attributes: HTTPWriteAttributes, over connection: HTTPConnection
    ) async throws -> FileObject

    /// Returns capacity and free space; nil, the default, if the service doesn't report them.
    func storageProperties(over connection: HTTPConnection) async throws -> VolumeObject?

    /// Checks that the server answers and lets this user in.
    ///
    /// The default requests a page of the root's listing and parses it, so that the page of a proxy or a login doesn't
    /// count as an answer. Without listings it looks at the root, which must then send a request.
    ///
    /// - Throws: The reason, if it doesn't.
    func checkReachability(over connection: HTTPConnection) async throws

    /// Further origins of the service, such as the host that stores the bytes of files. They also get the login, if it is
    /// a token or a signature. None by default.
    ///
    /// A request goes there by ``HTTPRequest/url``. Only `https` origins and this machine's loopback are accepted.
    var ownOrigins: Set<Origin> { get }

    /// Signs each request. Nil, the default, logs in with Basic, Digest or Bearer, depending on the credentials.
    var signer: (any HTTPRequestSigner)? { get }

    /// Performs an operation that changes something; implement it for operations that take several requests. The default
    /// sends the one of ``request(for:overwrite:attributes:)``.
    ///
    /// - Parameter progress: Counts items; for a copy, bytes.
    /// - Throws: `CocoaError(.featureUnsupported)` for an operation that the service doesn't have.
    func perform(
        _ operation: HTTPOperation, overwrite: Bool, progress: ProgressReporter, over connection: HTTPConnection)
        async throws
}

/// A service that uploads long files in parts.
public protocol HTTPUploadingService: HTTPService {
    /// The most bytes of a file that goes up in one request. Longer files, and those of unknown length, go through
    /// ``uploadSession(path:overwrite:attributes:over:)``.
    var singleWriteLimit: Int { get }

    /// Whether a file that goes up in one request is read into memory before, up to ``singleWriteLimit`` bytes. False
    /// by default.
    ///
    /// For a service that needs a digest of the bytes, or whose server would keep the bytes received if the source turns
    /// out to be longer than promised. The bytes are in ``HTTPWriteAttributes/contents``.
    var gathersSingleWrites: Bool { get }

    /// Begins an upload in parts.
    func uploadSession(
        path: ProviderPath, overwrite: Bool, attributes: HTTPWriteAttributes, over connection: HTTPConnection
    ) async throws -> any HTTPUploadSession
}

extension HTTPUploadingService {
    /// False: the default passes bytes on as they come.
    public var gathersSingleWrites: Bool { false }
}

/// An operation that a service makes a request for.
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

    /// The operation in words that follow “cannot”.
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

/// The known attributes of a file before it is written.
public struct HTTPWriteAttributes: Sendable, Hashable {
    /// Bytes; nil if the length is unknown before the end.
    public var length: Int64?
    /// The version to replace (RFC 9110, section 13.1.1). The provider has compared it; if the server can compare it,
    /// too, put it into the request.
    public var ifMatch: String?
    /// The modification time to set, if the service can.
    public var modificationDate: Date?
    /// All bytes of the file, if the service gathers them (``HTTPUploadingService/gathersSingleWrites``).
    public var contents: Data?
    /// The entry tag of the file that is replaced; nil if there was none, or if it was not looked at.
    public var replacedTag: String?
    /// The modification time of the file that is replaced; nil as above.
    public var replacedDate: Date?
    /// The identity of the source and its version (``/FileProviderCore/WriteOptions/resumption``); nil for a write that
    /// no later one continues. The provider stores the token of an ``HTTPResumableSession`` under it; a service that
    /// can find its upload by the identity alone needs no token.
    public var resumption: String?
    /// The media type to store with the file: the caller's, or that of the name's extension; nil if that is unknown. ``contentTypeHeader`` is the header for it.
    public var contentType: String?

    /// Creates attributes; those that are not given are unknown.
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
    /// The items of the page, in the server's order.
    public var items: [FileObject]
    /// The token of the next page; nil for the last page.
    public var nextToken: String?
    /// Whether the answer shows that the folder exists, also without items. If no page does, an empty listing is followed
    /// by a look.
    public var showsFolder: Bool
    /// Names on the page that no path can hold, or that name a second item. The listing continues without them and reports
    /// them at its end (``/FileProviderCore/FileError/unusableNames(_:in:url:)``).
    public var leftOut: [[UInt8]] = []

    /// Creates a page: the last one, unless there is a token for another.
    public init(_ items: [FileObject], nextToken: String? = nil, showsFolder: Bool = false) {
        self.items = items
        self.nextToken = nextToken
        self.showsFolder = showsFolder
    }
}

/// Signs requests, for example by AWS Signature Version 4.
public protocol HTTPRequestSigner: Sendable {
    /// Signs a request. Called again for each repetition, so that a time in the signature is the present one. The request
    /// goes to the service's own origin.
    func sign(_ request: inout TransferRequest, with credential: Credential) throws

    /// Returns whether the server accepted the signature. A refusal is reported to the credential source, and the request
    /// may be signed and sent once more. By default, 401 is a refusal, and every other status is none.
    func verdict(on head: ResponseHead) -> HTTPSignatureVerdict
}

/// Whether a server accepted a signature.
public enum HTTPSignatureVerdict: Sendable, Hashable {
    /// The signature is valid, whatever the result of the request is.
    case accepted
    /// The credential is wrong.
    case refused
    /// The signer has learnt something from the answer, such as the server's clock: the next signature may be good.
    case signAgain
    /// The answer does not tell.
    case unknown
}

extension HTTPRequestSigner {
    /// The default, for servers that answer 401 to an invalid signature.
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
