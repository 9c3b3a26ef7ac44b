import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// A shelf whose server keeps what was changed and removed.
///
/// `GET /path?removed=N` lists the removed files at and below a path from the Nth one on, `POST /path?restore=ID` puts
/// one back, `DELETE /path?removed=ID` removes it for good. `GET /path?versions` lists the versions of a file,
/// `GET /path?version=N` reads one, `POST /path?version=N` makes it the newest.
struct ArchiveService: HTTPService {
    static let type = "Archive"

    let shelf = ShelfService()

    func capabilities(over connection: HTTPConnection) async throws -> Capabilities {
        try await shelf.capabilities(over: connection)
    }

    func attributesOfItem(path: ProviderPath, over connection: HTTPConnection) async throws -> FileObject {
        try await shelf.attributesOfItem(path: path, over: connection)
    }

    func request(forContentsOf path: ProviderPath, token: String?) throws -> HTTPRequest? {
        try shelf.request(forContentsOf: path, token: token)
    }

    func page(ofContentsOf path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage {
        try shelf.page(ofContentsOf: path, data: data, head: head)
    }

    func request(for operation: HTTPOperation, overwrite: Bool, attributes: HTTPWriteAttributes) throws -> HTTPRequest?
    {
        try shelf.request(for: operation, overwrite: overwrite, attributes: attributes)
    }

    func serverError(with code: FileProviderHTTPErrorCode, path: ProviderPath, data: Data) -> any FileProviderHTTPError
    {
        shelf.serverError(with: code, path: path, data: data)
    }
}

extension ArchiveService: HTTPTrashService {
    func trashItems(
        below path: ProviderPath, over connection: HTTPConnection, page: @Sendable ([TrashItem]) async throws -> Void
    ) async throws {
        var start: Int? = 0
        while let first = start {
            let (data, _) = try await connection.data(for: HTTPRequest("GET", path: path, query: "removed=\(first)"))
            let answer = try JSONDecoder().decode(ArchivePage.self, from: data)
            try await page(
                answer.items.map { item in
                    TrashItem(
                        identifier: "\(item.id)", path: try ProviderPath(percentEncoded: item.path), type: .regular,
                        size: item.size)
                })
            start = answer.next
        }
    }

    func restore(_ item: TrashItem, over connection: HTTPConnection) async throws {
        let request = HTTPRequest(
            "POST", path: item.path, query: "restore=\(item.identifier)", repetition: .ifNotDone, accepts: [409],
            isWriting: true)
        if try await connection.send(request).status == 409 {
            throw FileError.make(.fileWriteFileExists, path: item.path, url: connection.url(of: item.path))
        }
    }

    func removeFromTrash(_ item: TrashItem, over connection: HTTPConnection) async throws {
        _ = try await connection.send(
            HTTPRequest("DELETE", path: item.path, query: "removed=\(item.identifier)", isWriting: true))
    }
}

extension ArchiveService: HTTPVersionsService {
    func versions(of path: ProviderPath, over connection: HTTPConnection) async throws -> [FileVersion] {
        let (data, _) = try await connection.data(for: HTTPRequest("GET", path: path, query: "versions"))
        return try JSONDecoder().decode([ArchivedVersion].self, from: data).map { version in
            FileVersion(
                identifier: "\(version.number)", path: path, size: version.size, isCurrent: version.isCurrent)
        }
    }

    func request(forReading version: FileVersion) throws -> HTTPRequest {
        HTTPRequest("GET", path: version.path, query: "version=\(version.identifier)")
    }

    func restore(_ version: FileVersion, over connection: HTTPConnection) async throws {
        _ = try await connection.send(
            HTTPRequest(
                "POST", path: version.path, query: "version=\(version.identifier)", repetition: .ifNotDone,
                isWriting: true))
    }
}

/// A removed file as the server tells it.
struct ArchivedItem: Codable {
    var id: Int
    /// Percent-encoded.
    var path: String
    var size: Int64
}

/// Removed files, and the number of the first one on the next page.
struct ArchivePage: Codable {
    var items: [ArchivedItem]
    var next: Int?
}

/// A version as the server tells it, the newest first.
struct ArchivedVersion: Codable {
    var number: Int
    var size: Int64
    var isCurrent: Bool
}
