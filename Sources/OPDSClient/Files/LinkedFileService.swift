import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// One file at an address that a path cannot always express, such as one with a query, as a storage that is read by
/// ranges. Other paths are files of the same server.
struct LinkedFileService: HTTPService {
    static let type = WebService.type

    /// The address, without user and password.
    let url: URL
    /// The file's path: that of its address, or a name in place of one that no path can have.
    let path: ProviderPath
    private let web = WebService()

    init(url: URL) {
        self.url = url
        let path = try? ProviderPath(percentEncoded: url.path(percentEncoded: true))
        self.path = path.flatMap { $0.isRoot ? nil : $0 } ?? Self.unnamed
    }

    private static let unnamed = (try? ProviderPath("publication")) ?? .root

    func capabilities(over connection: HTTPConnection) async throws -> Capabilities {
        try await web.capabilities(over: connection)
    }

    func attributesOfItem(path: ProviderPath, over connection: HTTPConnection) async throws -> FileObject {
        guard path == self.path else { return try await web.attributesOfItem(path: path, over: connection) }
        // By reading: many catalogues make their files at each request, or sign an address for `GET` alone.
        let attributes = try await connection.open(request(path), cost: .request).attributes()
        var item = FileObject(path: path, type: .regular, size: attributes.size)
        item.mimeType = attributes.mimeType
        item.entryTag = attributes.validator
        return item
    }

    func request(forContentsOf path: ProviderPath, token: String?) throws -> HTTPRequest? {
        try web.request(forContentsOf: path, token: token)
    }

    func page(ofContentsOf path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage {
        try web.page(ofContentsOf: path, data: data, head: head)
    }

    func request(for operation: HTTPOperation, overwrite: Bool, attributes: HTTPWriteAttributes) throws -> HTTPRequest?
    {
        if case .read(let path) = operation { request(path) } else { nil }
    }

    func serverError(with code: FileProviderHTTPErrorCode, path: ProviderPath, data: Data) -> any FileProviderHTTPError
    {
        HTTPServerMessage(code: code, path: path, data: data)
    }

    private func request(_ path: ProviderPath) -> HTTPRequest {
        var request = HTTPRequest("GET", path: path)
        if path == self.path { request.url = url }
        return request
    }
}
