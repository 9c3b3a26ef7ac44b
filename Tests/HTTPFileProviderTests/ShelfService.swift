import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// Files behind a small JSON interface: `GET /path?list` lists, `GET`, `PUT` and `DELETE` of a path read, write and
/// remove it, `POST /path?folder` makes a folder.
struct ShelfService: HTTPService {
    static let type = "Shelf"

    func capabilities(over connection: HTTPConnection) async throws -> Capabilities {
        Capabilities(
            [
                .rangedReading: .native, .suffixReading: .native, .writing: .native, .atomicReplacement: .native,
                .exclusiveCreation: .native, .folderCreation: .native, .removal: .native, .recursiveRemoval: .native,
            ], readCost: .request)
    }

    func attributesOfItem(path: ProviderPath, over connection: HTTPConnection) async throws -> FileObject {
        if path.isRoot { return FileObject(path: path, type: .directory) }
        let head = try await connection.send(HTTPRequest("HEAD", path: path))
        return head["X-Folder"] == nil
            ? FileObject(path: path, describedBy: head) : FileObject(path: path, type: .directory)
    }

    func request(forContentsOf path: ProviderPath, token: String?) throws -> HTTPRequest? {
        HTTPRequest("GET", path: path, query: "list" + (token.map { "&after=\($0)" } ?? ""))
    }

    func page(ofContentsOf path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage {
        // No dictionary: Swift takes two names for one that differ in their Unicode normalization alone.
        struct Item: Decodable {
            let name: String
            let size: Int64?
        }
        struct Page: Decodable {
            let items: [Item]
            let next: String?
        }
        let page = try JSONDecoder().decode(Page.self, from: data)
        let items = try page.items.map {
            FileObject(path: try path.appending($0.name), type: $0.size == nil ? .directory : .regular, size: $0.size)
        }
        return HTTPPage(items, nextToken: page.next, showsFolder: true)
    }

    func request(for operation: HTTPOperation, overwrite: Bool, attributes: HTTPWriteAttributes) throws -> HTTPRequest?
    {
        let condition: [(name: String, value: String)] = overwrite ? [] : [("If-None-Match", "*")]
        // Sent again after a lost answer, such a request would be refused because of the file that it has made itself.
        let repetition: HTTPRequest.Repetition = overwrite ? .always : .ifNotDone
        switch operation {
        case .read(let path): return HTTPRequest("GET", path: path)
        case .write(let path):
            return HTTPRequest("PUT", path: path, headers: condition, repetition: repetition, isWriting: true)
        case .createFolder(let path):
            return HTTPRequest(
                "POST", path: path, query: "folder", headers: condition, repetition: repetition, isWriting: true)
        case .remove(let item, let recursive):
            return HTTPRequest("DELETE", path: item.path, query: recursive ? "all" : nil, isWriting: true)
        case .copy, .move: return nil
        }
    }

    func serverError(with code: FileProviderHTTPErrorCode, path: ProviderPath, data: Data) -> any FileProviderHTTPError
    {
        HTTPServerMessage(code: code, path: path, data: data)
    }
}

/// For the registry: `shelf://host/path`.
let shelf = ProviderRegistration(type: ShelfService.type, schemes: ["shelf"]) { url, options in
    let path = try ProviderPath(percentEncoded: url.path(percentEncoded: true))
    var root = URLComponents(url: url.serverRoot, resolvingAgainstBaseURL: true)
    root?.scheme = "https"
    let provider = try HTTPFileProvider(service: ShelfService(), url: root?.url ?? url, options: options)
    return ProviderLocation(provider: provider, path: path)
}
