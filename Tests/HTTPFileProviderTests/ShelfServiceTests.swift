import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Synchronization
import Testing

/// As in `Documentation/ImplementingAProvider.md`. Files behind a small JSON interface: `GET /path?list` lists, `GET`,
/// `PUT` and `DELETE` of a path read, write and remove it.
struct ShelfService: HTTPService {
    static let type = "Shelf"

    func capabilities(over connection: HTTPConnection) async throws -> Capabilities {
        Capabilities(
            [
                .rangedReading: .native, .suffixReading: .native, .writing: .native, .atomicReplacement: .native,
                .folderCreation: .native,
                .removal: .native, .recursiveRemoval: .native, .exclusiveCreation: .native,
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
        struct Page: Decodable {
            let files: [String: Int64]
            let folders: [String]
            let next: String?
        }
        let page = try JSONDecoder().decode(Page.self, from: data)
        let files = try page.files.map { FileObject(path: try path.appending($0.key), type: .regular, size: $0.value) }
        let folders = try page.folders.map { FileObject(path: try path.appending($0), type: .directory) }
        return HTTPPage(files + folders, nextToken: page.next, showsFolder: true)
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

/// The server of it: flat, and in memory.
private final class Shelf: Sendable {
    private let files = Mutex<[String: Data]>([:])

    func answer(_ request: FaultServer.Request) -> FaultServer.Answer {
        let parts = request.target.split(separator: "?")
        let name = String((parts.first ?? "").dropFirst())
        return files.withLock { files in
            switch request.method {
            case "GET" where parts.last?.hasPrefix("list") == true:
                list(files, after: parts.last?.split(separator: "=").dropFirst().last)
            case "PUT" where request.headers["if-none-match"] == "*" && files[name] != nil: .reply(412)
            case "PUT":
                put(request.body, name, &files)
            case "DELETE": files.removeValue(forKey: name) == nil ? .reply(404) : .reply(204)
            default: files[name].map { .reply(200, body: $0) } ?? .reply(404)
            }
        }
    }

    private func put(_ data: Data, _ name: String, _ files: inout [String: Data]) -> FaultServer.Answer {
        files[name] = data
        return .reply(201)
    }

    /// One file a page.
    private func list(_ files: [String: Data], after name: Substring?) -> FaultServer.Answer {
        let names = files.keys.sorted().filter { $0 > name ?? "" }
        let file = names.first.map { "\"\($0)\":\(files[$0]?.count ?? 0)" } ?? ""
        let next = names.count > 1 ? ",\"next\":\"\(names[0])\"" : ""
        return .reply(200, body: Data("{\"files\":{\(file)},\"folders\":[]\(next)}".utf8))
    }
}

@Suite struct ShelfServiceTests {
    @Test func `the service of the documentation lists, reads, writes, copies and removes`() async throws {
        let shelf = Shelf()
        let server = try FaultServer { shelf.answer($0) }
        defer { server.stop() }
        let provider = try HTTPFileProvider(service: ShelfService(), url: server.url())
        let (one, two) = (try ProviderPath("one"), try ProviderPath("two"))
        try await provider.writeContents(path: one, contents: Data("bytes".utf8))
        // The service copies nothing itself.
        try await provider.copyItem(path: one, to: two)
        #expect(try await provider.contents(path: two) == Data("bytes".utf8))
        #expect(try await provider.contentsOfDirectory(path: .root).map(\.path) == [one, two])
        await #expect(throws: CocoaError.self) { try await provider.writeContents(path: two, contents: Data()) }
        try await provider.removeItem(path: one)
        #expect(try await provider.contentsOfDirectory(path: .root).map(\.path) == [two])
    }

    @Test func `a file whose answer was lost is not said to have been there before`() async throws {
        let shelf = Shelf()
        let server = try FaultServer { request in
            let answer = shelf.answer(request)
            return request.method == "PUT" ? .raw(Data()) : answer
        }
        defer { server.stop() }
        let options = ConnectionOptions(retries: RetryPolicy(retries: 2, firstPause: 0.01))
        let provider = try HTTPFileProvider(service: ShelfService(), url: server.url(), options: options)
        let error = await #expect(throws: URLError.self) {
            try await provider.writeContents(path: ProviderPath("one"), contents: Data("bytes".utf8))
        }
        #expect(error?.code == .networkConnectionLost)
        #expect(server.requests.filter { $0.method == "PUT" }.count == 1)
    }
}
