// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public import CurlTransport
public import Foundation
public import HTTPFileProvider

/// A cloud with an HTTP API in the manner of Dropbox's API v2: arguments in JSON, in the body or in a header; folders
/// in pages with cursors; its own errors with status 409.
///
/// Source: https://www.dropbox.com/developers/documentation/http/documentation
public struct CloudService: HTTPUploadingService {
    public static let type = "Cloud"
    /// Bytes of a part, and what is held in memory of a file whose length is not known.
    public let singleWriteLimit = 8 << 20
    /// The base URL of all routes; it ends in the API's version.
    let api: URL
    static let contentHash = FileObjectKey<String>("cloud.contentHash")

    /// Creates the service of a cloud with one host; `api` ends in a slash.
    public init(api: URL) { self.api = api }

    /// `cloud://HOST/path` is at `https://HOST/2/`, unless the setting `api` names another URL.
    public static let registration = ProviderRegistration(type: type, schemes: ["cloud"], settings: ["api"]) {
        url, options in
        let port = url.port.map { ":\($0)" } ?? ""
        let api = URL(string: options.settings["api"] ?? "https://\(url.host() ?? "")\(port)/2/") ?? url
        return ProviderLocation(
            provider: try HTTPFileProvider(service: CloudService(api: api), url: api, options: options),
            path: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
    }

    public func capabilities(over connection: HTTPConnection) async throws -> Capabilities {
        let native: [Capabilities.Ability] = [
            .rangedReading, .suffixReading, .writing, .streamedWriting, .atomicReplacement, .exclusiveCreation,
            .conditionalWriting, .folderCreation, .removal, .recursiveRemoval, .moving, .serverSideCopying,
            .settingModificationDate, .storageProperties, .entryTags, .publicLinks,
        ]
        return Capabilities(
            Dictionary(uniqueKeysWithValues: native.map { ($0, .native) }), readCost: .request, timePrecision: 1,
            isCaseSensitive: false, isNormalizationSensitive: false, makesParentFolders: true,
            hashKinds: ["content_hash"])
    }

    public func storageProperties(over connection: HTTPConnection) async throws -> VolumeObject? {
        let space = try await answer(to: call("users/get_space_usage"), over: connection)
        let (total, used) = (space.allocation.allocated.number, space.used.number ?? 0)
        return VolumeObject(totalCapacity: total, availableCapacity: total.map { max(0, $0 - used) }, usage: used)
    }

    public func attributesOfItem(path: ProviderPath, over connection: HTTPConnection) async throws -> FileObject {
        if path.isRoot { return FileObject(path: path, type: .directory) }
        let request = try call("files/get_metadata", ["path": path.string], path: path)
        return try await answer(to: request, over: connection).object(at: path)
    }

    public func request(forContentsOf path: ProviderPath, token: String?) throws -> HTTPRequest? {
        if let token { return try call("files/list_folder/continue", ["cursor": token], path: path) }
        return try call("files/list_folder", ["path": name(path), "limit": 2000], path: path)
    }

    public func page(ofContentsOf path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage {
        let answer = CloudAnswer(data: data)
        let items = try answer.entries.list.filter { !$0.isDeleted }.map { try $0.object(below: path) }
        return HTTPPage(items, nextToken: answer.has_more.isTrue ? answer.cursor.text : nil, showsFolder: true)
    }

    public func request(for operation: HTTPOperation, overwrite: Bool, attributes: HTTPWriteAttributes) throws
        -> HTTPRequest?
    {
        switch operation {
        case .read(let path): return try transfer("files/download", ["path": path.string], path: path)
        case .write(let path):
            let commit = commit(path: path, overwrite: overwrite, attributes: attributes)
            var request = try transfer("files/upload", commit, path: path, isWriting: true)
            if overwrite, attributes.ifMatch == nil { request.repetition = .always }
            return request
        case .createFolder(let path):
            return try call("files/create_folder_v2", ["path": path.string], path: path, isWriting: true)
        case .remove(let item, _):
            return try call("files/delete_v2", ["path": item.path.string], path: item.path, isWriting: true)
        case .copy(let item, let target), .move(let item, let target):
            let route = if case .copy = operation { "files/copy_v2" } else { "files/move_v2" }
            let argument = ["from_path": item.path.string, "to_path": target.string]
            var request = try call(route, argument, path: item.path, isWriting: true)
            request.touches = [target]
            return request
        }
    }

    /// Moves and copies replace nothing here: a file in the way is removed, unless it is the item in another spelling.
    public func perform(
        _ operation: HTTPOperation, overwrite: Bool, progress: ProgressReporter, over connection: HTTPConnection
    ) async throws {
        guard let request = try request(for: operation, overwrite: overwrite, attributes: .init()) else { return }
        do { _ = try await connection.send(request) } catch let error as HTTPStatusError
            where overwrite && error.serverDescription?.hasPrefix("to/conflict/file") == true
        {
            guard let target = request.touches.first, target.string.lowercased() != request.path.string.lowercased()
            else { throw error }
            let rev = rev(try await attributesOfItem(path: target, over: connection).entryTag ?? "")
            let argument = ["path": target.string, "parent_rev": rev]
            _ = try await connection.send(call("files/delete_v2", argument, path: target, isWriting: true))
            _ = try await connection.send(request)
        }
        if case .copy(let item, _) = operation { progress.advance(by: item.size ?? 0) } else { progress.advance(by: 1) }
    }

    public func uploadSession(
        path: ProviderPath, overwrite: Bool, attributes: HTTPWriteAttributes, over connection: HTTPConnection
    ) async throws -> any HTTPUploadSession {
        let start = try transfer("files/upload_session/start", [:], path: path, isWriting: true)
        return CloudUpload(
            service: self, path: path, id: try await answer(to: start, over: connection).session_id.required(),
            commit: commit(path: path, overwrite: overwrite, attributes: attributes), connection: connection)
    }

    /// How a write treats an existing file. Unless it is strict, the same bytes are no conflict.
    private func commit(path: ProviderPath, overwrite: Bool, attributes: HTTPWriteAttributes) -> [String: any Sendable]
    {
        let mode = overwrite ? "overwrite" : "add"
        var commit: [String: any Sendable] = ["path": path.string, "mode": mode, "strict_conflict": true]
        if let tag = attributes.ifMatch { commit["mode"] = [".tag": "update", "update": rev(tag)] }
        commit["client_modified"] = attributes.modificationDate?.formatted(.iso8601)
        return commit
    }

    /// Errors come as 409, with the reason as a path of words.
    public func serverError(with code: FileProviderHTTPErrorCode, path: ProviderPath, data: Data)
        -> any FileProviderHTTPError
    {
        let summary = CloudAnswer(data: data).error_summary.text ?? ""
        let meanings = [
            ("lookup_failed/", 409), ("/not_found", 404), ("/not_file", 404), ("/not_folder", 404),
            ("/malformed_path", 400), ("/disallowed_name", 400), ("/no_write_permission", 403),
            ("/insufficient_space", 507), ("too_many_write_operations", 429),
        ]
        let meant = code.rawValue == 409 ? meanings.first { summary.contains($0.0) }?.1 : nil
        return HTTPServerMessage(
            code: meant.map { FileProviderHTTPErrorCode(rawValue: $0) } ?? code, path: path,
            description: summary.isEmpty ? String(decoding: data.prefix(200), as: UTF8.self) : summary)
    }
}

extension CloudService {
    /// A request with its argument in the body.
    func call(
        _ route: String, _ argument: [String: Any]? = nil, path: ProviderPath = .root, isWriting: Bool = false
    ) throws -> HTTPRequest {
        let body = try argument.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data("null".utf8)
        var request = HTTPRequest(
            "POST", path: path, headers: [("Content-Type", "application/json")], body: .data(body),
            repetition: isWriting ? .ifNotDone : .always, isWriting: isWriting)
        request.url = api.appending(path: route)
        // A question is answered at once, whatever its method.
        if !isWriting { request.patience = 1 }
        return request
    }

    /// A request with its argument in a header, which holds ASCII alone, and bytes in its body or in the answer.
    func transfer(_ route: String, _ argument: [String: Any], path: ProviderPath, isWriting: Bool = false) throws
        -> HTTPRequest
    {
        let json = String(decoding: try JSONSerialization.data(withJSONObject: argument), as: UTF8.self)
        let safe = json.utf16.map { $0 < 0x7F ? String(UnicodeScalar(UInt8($0))) : String(format: "\\u%04x", $0) }
        var request = HTTPRequest(
            isWriting ? "POST" : "GET", path: path, headers: [("Dropbox-API-Arg", safe.joined())],
            repetition: isWriting ? .ifNotDone : .always, isWriting: isWriting)
        if isWriting { request.headers.append(("Content-Type", "application/octet-stream")) }
        request.url = api.appending(path: route)
        return request
    }

    func answer(to request: HTTPRequest, over connection: HTTPConnection) async throws -> CloudAnswer {
        CloudAnswer(data: try await connection.data(for: request).0)
    }

    /// The root's name is empty.
    func name(_ path: ProviderPath) -> String { path.isRoot ? "" : path.string }

    /// The revision in an entry tag.
    func rev(_ tag: String) -> String { HTTPConnection.version(tag).filter { $0 != "\"" } }
}
