import CurlTransport
public import FileProviderCore
public import Foundation

/// Files of a plain web server, read by `GET` and ranges. There are no listings and nothing can be changed.
public final class HTTPFileProvider: FileProviderBasicRemote, FileProviderOperations, FileProviderReadWrite {
    /// `HTTP`, also for a WebDAV server that is read as a plain one.
    public static let type = "HTTP"

    private let connection: HTTPConnection

    /// - Throws: `URLError(.badURL)`.
    public convenience init(configuration: HTTPConfiguration, options: ConnectionOptions = ConnectionOptions()) throws {
        self.init(connection: try HTTPConnection(url: configuration.baseURL, options: options))
    }

    /// A provider over a connection that is there already.
    public init(connection: HTTPConnection) {
        self.connection = connection
    }

    /// Never nil, and without the query that goes with each request.
    public var baseURL: URL? { connection.baseURL }

    /// Those of the connection; changing them takes a new provider.
    public var connectionOptions: ConnectionOptions { connection.options }

    /// Nothing is remembered.
    public func dropCache(path: ProviderPath) {}

    /// ``baseURL`` with the percent-encoded path behind it, without a slash at the end. Nothing is sent.
    public func url(of path: ProviderPath) -> URL { connection.url(of: path) }

    /// Reading alone. Whether this server takes ranges shows at the first read.
    ///
    /// - Complexity: Nothing is sent.
    public func capabilities() async throws -> Capabilities {
        Capabilities([.rangedReading: .native, .suffixReading: .native], readCost: .request, timePrecision: 1)
    }

    /// - Complexity: One `HEAD`; one `GET` of a byte where the server refuses that.
    public func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        let head = try await connection.send(HTTPRequest("HEAD", path, accepts: [405, 501]))
        guard head.isSuccess else { return try await attributesByReading(path) }
        var item = FileObject(path: path, type: .regular, size: head["Content-Length"].flatMap { Int64($0) })
        item.modifiedDate = head["Last-Modified"].flatMap { HTTPDate.parse($0) }
        item.entryTag = head["ETag"]
        item.mimeType = head["Content-Type"]
        return item
    }

    private func attributesByReading(_ path: ProviderPath) async throws -> FileObject {
        let attributes = try await connection.open(path: path).attributes()
        var item = FileObject(path: path, type: .regular, size: attributes.size)
        item.mimeType = attributes.mimeType
        item.entryTag = attributes.validator
        return item
    }

    /// A reader for one file. Nothing is sent: the first read tells whether the file is there.
    public func open(path: ProviderPath) async throws -> any FileReader { connection.open(path: path) }

    /// - Throws: `CocoaError(.featureUnsupported)`, always: HTTP has no listings.
    public func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        throw unsupported("Listing a folder", path)
    }

    /// - Throws: `CocoaError(.featureUnsupported)`, always; nothing is sent, and `source` is not read.
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws -> FileObject {
        throw unsupported("Writing", path)
    }

    /// - Throws: `CocoaError(.featureUnsupported)`, always; nothing is sent.
    public func createFolder(path: ProviderPath) async throws { throw unsupported("Making a folder", path) }

    /// - Throws: `CocoaError(.featureUnsupported)`, always; nothing is sent.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter) async throws {
        throw unsupported("Moving", path)
    }

    /// - Throws: `CocoaError(.featureUnsupported)`, always; nothing is sent.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter) async throws {
        throw unsupported("Copying on the server", path)
    }

    /// - Throws: `CocoaError(.featureUnsupported)`, always; nothing is sent.
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        throw unsupported("Removing", path)
    }

    /// Ends what runs: it throws `URLError(.cancelled)`. Connections are closed; operations after it start anew.
    public func invalidate() {
        cancelOperations()
        connection.cancelAll()
    }

    private func unsupported(_ what: String, _ path: ProviderPath) -> CocoaError {
        FileError.unsupported("\(what) on a plain web server", path: path, url: url(of: path))
    }
}
