import CurlTransport
public import FileProviderCore
public import Foundation

/// Files of a plain web server, read by `GET` and ranges. There are no listings and nothing can be changed.
public final class HTTPFileProvider: FileProviderBasicRemote, FileProviderOperations, FileProviderReadWrite {
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

    public var baseURL: URL? { connection.baseURL }

    public var connectionOptions: ConnectionOptions { connection.options }

    /// Nothing is remembered.
    public func dropCache(path: ProviderPath) {}

    public func url(of path: ProviderPath) -> URL { connection.url(of: path) }

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
        return item
    }

    public func open(path: ProviderPath) async throws -> any FileReader { connection.open(path: path) }

    public func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        throw unsupported("Listing a folder", path)
    }

    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws -> FileObject {
        throw unsupported("Writing", path)
    }

    public func createFolder(path: ProviderPath) async throws { throw unsupported("Making a folder", path) }

    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter) async throws {
        throw unsupported("Moving", path)
    }

    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter) async throws {
        throw unsupported("Copying on the server", path)
    }

    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        throw unsupported("Removing", path)
    }

    public func invalidate() {
        cancelOperations()
        connection.cancelAll()
    }

    private func unsupported(_ what: String, _ path: ProviderPath) -> CocoaError {
        FileError.unsupported("\(what) on a plain web server", path: path, url: url(of: path))
    }
}
