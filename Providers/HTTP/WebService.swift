public import CurlTransport
public import FileProviderCore
public import Foundation

/// A provider of files on a plain web server, read by `GET` and ranges. It has no listings and changes nothing.
public typealias WebFileProvider = HTTPFileProvider<WebService>

extension HTTPFileProvider where Service == WebService {
    /// Creates a provider for a plain web server. Sends nothing.
    ///
    /// - Throws: `URLError(.badURL)` if the URL has no host.
    public convenience init(configuration: HTTPConfiguration, options: ConnectionOptions = ConnectionOptions()) throws {
        try self.init(service: WebService(), url: configuration.baseURL, options: options)
    }

    /// The schemes `http` and `https`, read by `GET` and ranges, also if the server speaks WebDAV. The provider's root is
    /// the server's.
    public static var registration: ProviderRegistration {
        ProviderRegistration(type: type, schemes: ["http", "https"]) { url, options in
            let provider = try WebFileProvider(service: WebService(), url: url.serverRoot, options: options)
            return ProviderLocation(
                provider: provider, path: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
        }
    }
}

/// The service of a server that speaks only plain HTTP.
public struct WebService: HTTPService {
    /// `HTTP`, also for a WebDAV server that is read as a plain one.
    public static let type = "HTTP"

    /// Creates the service, which has no settings.
    public init() {}

    /// Returns abilities for reading only. Sends nothing: the first read shows whether the server supports ranges.
    public func capabilities(over connection: HTTPConnection) async throws -> Capabilities {
        Capabilities(
            [.rangedReading: .native, .suffixReading: .native, .rawNames: .native], readCost: .request, timePrecision: 1
        )
    }

    /// Returns the attributes of a file from the head of an answer.
    ///
    /// - Complexity: One `HEAD`; one `GET` of a byte if the server refuses that.
    public func attributesOfItem(path: ProviderPath, over connection: HTTPConnection) async throws -> FileObject {
        let head = try await connection.send(HTTPRequest("HEAD", path: path, accepts: [405, 501]))
        guard head.isSuccess else { return try await attributesByReading(path, over: connection) }
        return FileObject(path: path, describedBy: head)
    }

    private func attributesByReading(_ path: ProviderPath, over connection: HTTPConnection) async throws -> FileObject {
        let attributes = try await connection.open(path: path).attributes()
        var item = FileObject(path: path, type: .regular, size: attributes.size)
        item.mimeType = attributes.mimeType
        item.entryTag = attributes.validator
        return item
    }

    /// Always throws `CocoaError(.featureUnsupported)`: HTTP has no listings.
    public func request(forContentsOf path: ProviderPath, token: String?) throws -> HTTPRequest? {
        throw FileError.unsupported("list a folder", by: Self.type, path: path)
    }

    /// Never called, because there is no request for a listing.
    public func page(ofContentsOf path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage {
        HTTPPage([])
    }

    /// Returns a `GET` for reading, and nil for every other operation.
    public func request(for operation: HTTPOperation, overwrite: Bool, attributes: HTTPWriteAttributes) throws
        -> HTTPRequest?
    {
        if case .read(let path) = operation { HTTPRequest("GET", path: path) } else { nil }
    }

    /// Returns the readable part of the answer.
    public func serverError(with code: FileProviderHTTPErrorCode, path: ProviderPath, data: Data)
        -> any FileProviderHTTPError
    {
        HTTPServerMessage(code: code, path: path, data: data)
    }
}

extension FileObject {
    /// Creates a file from the head of an answer to `GET` or `HEAD` (RFC 9110, section 8).
    public init(path: ProviderPath, describedBy head: ResponseHead) {
        self.init(
            path: path, type: .regular,
            size: head["Content-Length"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil },
            modifiedDate: head["Last-Modified"].flatMap { HTTPDate.parse($0) }, entryTag: head["ETag"])
        mimeType = head["Content-Type"]
    }
}
