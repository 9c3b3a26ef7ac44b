import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// A service as a third party would write it: a small cloud drive with JSON answers, pages of a few items, and uploads
/// in parts.
struct DriveService: HTTPUploadingService {
    static let type = "Drive"

    var pageSize = 3
    var singleWriteLimit = 4096
    var partSize = 1000
    /// Whether `a` and `A` are two names.
    var isCaseSensitive = true
    var sessions = DriveSessions()

    func capabilities(over connection: HTTPConnection) async throws -> Capabilities {
        Capabilities(
            [
                .rangedReading: .native, .suffixReading: .native, .writing: .native, .streamedWriting: .native,
                .atomicReplacement: .native, .exclusiveCreation: .native, .conditionalWriting: .native,
                .folderCreation: .native,
                .removal: .native, .recursiveRemoval: .native, .moving: .native, .serverSideCopying: .native,
                .entryTags: .native,
                .rawNames: .native,
            ],
            readCost: .request, isCaseSensitive: isCaseSensitive)
    }

    func attributesOfItem(path: ProviderPath, over connection: HTTPConnection) async throws -> FileObject {
        let (data, _) = try await connection.data(for: HTTPRequest("GET", path: path, query: "meta"))
        return try JSONDecoder().decode(DriveItem.self, from: data).object(at: path)
    }

    func request(forContentsOf path: ProviderPath, token: String?) throws -> HTTPRequest? {
        HTTPRequest("GET", path: path, query: "list=\(pageSize)" + (token.map { "&token=\($0)" } ?? ""))
    }

    func page(ofContentsOf path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage {
        let page = try JSONDecoder().decode(DrivePage.self, from: data)
        return HTTPPage(
            try page.items.map { try $0.object(at: path.appending(ProviderPath(percentEncoded: $0.name))) },
            nextToken: page.next)
    }

    func request(for operation: HTTPOperation, overwrite: Bool, attributes: HTTPWriteAttributes) throws -> HTTPRequest?
    {
        var headers: [(name: String, value: String)] = overwrite ? [] : [("If-None-Match", "*")]
        if let tag = attributes.ifMatch { headers.append(("If-Match", tag)) }
        switch operation {
        case .read(let path): return HTTPRequest("GET", path: path)
        case .createFolder(let path):
            return HTTPRequest("POST", path: path, query: "folder", headers: headers, isWriting: true)
        case .write(let path): return HTTPRequest("PUT", path: path, headers: headers, isWriting: true)
        case .remove(let item, _): return HTTPRequest("DELETE", path: item.path, isWriting: true)
        case .copy(let item, let destination):
            return HTTPRequest(
                "POST", path: item.path, query: "copy=\(destination.percentEncoded)", headers: headers, isWriting: true)
        case .move(let item, let destination):
            return HTTPRequest(
                "POST", path: item.path, query: "move=\(destination.percentEncoded)", headers: headers,
                repetition: .ifNotDone,
                isWriting: true)
        }
    }

    /// The drive says 409 for everything, and what it means in a document of its own.
    func serverError(with code: FileProviderHTTPErrorCode, path: ProviderPath, data: Data) -> any FileProviderHTTPError
    {
        let reported = try? JSONDecoder().decode([String: String].self, from: data)
        let meant = reported?["reason"] == "missing" ? FileProviderHTTPErrorCode(rawValue: 404) : code
        return HTTPServerMessage(code: meant, path: path, description: reported?["words"])
    }

    func uploadSession(
        path: ProviderPath, overwrite: Bool, attributes: HTTPWriteAttributes, over connection: HTTPConnection
    ) async throws -> any HTTPUploadSession {
        let (known, parts) = sessions.session(for: path)
        return DriveUpload(
            path: path, id: known, overwrite: overwrite, there: parts, partSize: partSize, sessions: sessions)
    }
}

/// What the drive tells of an item.
struct DriveItem: Codable {
    /// Percent-encoded, for names that are not UTF-8.
    var name: String
    var isFolder: Bool
    var size: Int64
    var tag: String

    func object(at path: ProviderPath) -> FileObject {
        FileObject(path: path, type: isFolder ? .directory : .regular, size: isFolder ? nil : size, entryTag: tag)
    }
}

struct DrivePage: Codable {
    var items: [DriveItem]
    var next: String?
}

/// The uploads that were begun, as a client remembers them: one writer at a time takes one up again.
final class DriveSessions: Sendable {
    private let resumes: Bool
    private let begun = LockedValue<[ProviderPath: (id: Int, parts: [Int: Data])]>([:])

    init(resumes: Bool = false) {
        self.resumes = resumes
    }

    func session(for path: ProviderPath) -> (Int, [Int: Data]) {
        // Chosen here, and several clients write to one drive.
        let id = Int.random(in: 0..<Int.max)
        if !resumes { return (id, [:]) }
        return begun.update { begun in
            let session = begun[path] ?? (id, [:])
            begun[path] = session
            return session
        }
    }

    func keep(_ data: Data, part number: Int, of path: ProviderPath) { begun.update { $0[path]?.parts[number] = data } }

    func end(_ path: ProviderPath) { begun.update { $0[path] = nil } }
}

struct DriveUpload: HTTPUploadSession {
    let path: ProviderPath
    let id: Int
    let overwrite: Bool
    let there: [Int: Data]
    let partSize: Int
    let sessions: DriveSessions
    private let sending = LockedValue<[Int: Data]>([:])

    init(
        path: ProviderPath, id: Int, overwrite: Bool, there: [Int: Data], partSize: Int, sessions: DriveSessions
    ) {
        self.path = path
        self.id = id
        self.overwrite = overwrite
        self.there = there
        self.partSize = partSize
        self.sessions = sessions
    }

    var concurrentParts: Int { 2 }

    func size(ofPart number: Int) throws -> Int { partSize }

    func has(_ data: Data, asPart number: Int) -> Bool { there[number] == data }

    func request(forPart number: Int, offset: Int64, data: Data, isLast: Bool) throws -> HTTPRequest {
        sending.update { $0[number] = data }
        return HTTPRequest("PUT", path: path, query: "upload=\(id)&part=\(number)")
    }

    func sent(part number: Int, _ head: ResponseHead) throws {
        sessions.keep(sending.update { $0.removeValue(forKey: number) } ?? Data(), part: number, of: path)
    }

    func finish(length: Int64, over connection: HTTPConnection) async throws -> ResponseHead {
        sessions.end(path)
        let headers = overwrite ? [] : [(name: "If-None-Match", value: "*")]
        return try await connection.send(
            HTTPRequest(
                "POST", path: path, query: "finish=\(id)", headers: headers, repetition: .ifNotDone, isWriting: true))
    }

    func abort(over connection: HTTPConnection) async {
        sessions.end(path)
        _ = try? await connection.send(HTTPRequest("DELETE", path: path, query: "upload=\(id)", isWriting: true))
    }
}
