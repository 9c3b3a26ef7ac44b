import FaultServer
import FileProviderCore
import Foundation

/// A WebDAV server that keeps everything in memory, does each request whole or not at all, and nothing that RFC 4918
/// does not say.
final class DAVDouble: Sendable {
    struct State: Sendable, Equatable {
        var files: [String: Data] = [:]
        var folders: Set<String> = ["/"]
    }

    private let store: LockedValue<State>

    init(files: [String: Data], folders: Set<String> = []) {
        store = LockedValue(State(files: files, folders: folders.union(["/"])))
    }

    var state: State { store.value }

    /// What another client puts.
    func keep(_ data: Data, at path: String) { store.update { $0.files[path] = data } }

    func answer(_ request: FaultServer.Request) -> FaultServer.Answer {
        let path = Self.path(request.target)
        return store.update { state in
            switch request.method {
            case "OPTIONS": .reply(200, headers: ["DAV": "1, 2"])
            case "PROPFIND": state.list(path, isDeep: request.headers["depth"] == "1")
            case "GET", "HEAD": state.read(path, request.headers["range"])
            case "PUT": state.put(path, request)
            case "MKCOL": state.makeFolder(path)
            case "DELETE": state.remove(path)
            case "MOVE":
                state.move(
                    path, to: Self.path(request.headers["destination"] ?? ""), request.headers["overwrite"] != "F")
            default: .reply(405)
            }
        }
    }

    private static func path(_ target: String) -> String {
        let path = target.replacing(/^https?:\/\/[^\/]*/, with: "").removingPercentEncoding ?? ""
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}

extension DAVDouble.State {
    private static func parent(_ path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    private func exists(_ path: String) -> Bool { files[path] != nil || folders.contains(path) }

    fileprivate func list(_ path: String, isDeep: Bool) -> FaultServer.Answer {
        guard exists(path) else { return .reply(404) }
        let all =
            [path]
            + (isDeep ? (Array(files.keys) + folders).filter { $0 != path && Self.parent($0) == path }.sorted() : [])
        let responses = all.map { item in
            let size = files[item].map {
                "<D:getcontentlength>\($0.count)</D:getcontentlength><D:getetag>\"\($0.hashValue)\"</D:getetag>"
            }
            let type = "<D:resourcetype>\(folders.contains(item) ? "<D:collection/>" : "")</D:resourcetype>"
            return """
                <D:response><D:href>\(item)</D:href><D:propstat><D:prop>\(type)\(size ?? "")</D:prop>\
                <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
                """
        }
        let text = "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>"
        return .reply(207, headers: ["Content-Type": "application/xml"], body: Data(text.utf8))
    }

    fileprivate func read(_ path: String, _ range: String?) -> FaultServer.Answer {
        guard let data = files[path] else { return .reply(404) }
        let tag = "\"\(data.hashValue)\""
        guard let range, let ends = range.firstMatch(of: /bytes=(\d+)-(\d*)/), let start = Int(ends.1),
            start < data.count
        else {
            return .reply(200, headers: ["ETag": tag], body: data)
        }
        let end = min(Int(ends.2) ?? .max, data.count - 1)
        return .reply(
            206, headers: ["ETag": tag, "Content-Range": "bytes \(start)-\(end)/\(data.count)"], body: data[start...end]
        )
    }

    fileprivate mutating func put(_ path: String, _ request: FaultServer.Request) -> FaultServer.Answer {
        if folders.contains(path) { return .reply(405) }
        guard folders.contains(Self.parent(path)) else { return .reply(409) }
        if request.headers["if-none-match"] == "*", files[path] != nil { return .reply(412) }
        let isNew = files[path] == nil
        files[path] = request.body
        return .reply(isNew ? 201 : 204)
    }

    fileprivate mutating func makeFolder(_ path: String) -> FaultServer.Answer {
        if exists(path) { return .reply(405) }
        guard folders.contains(Self.parent(path)) else { return .reply(409) }
        folders.insert(path)
        return .reply(201)
    }

    fileprivate mutating func remove(_ path: String) -> FaultServer.Answer {
        guard exists(path) else { return .reply(404) }
        files = files.filter { $0.key != path && !$0.key.hasPrefix(path + "/") }
        folders = folders.filter { $0 != path && !$0.hasPrefix(path + "/") }
        return .reply(204)
    }

    fileprivate mutating func move(_ path: String, to destination: String, _ overwrite: Bool) -> FaultServer.Answer {
        guard exists(path) else { return .reply(404) }
        let isNew = !exists(destination)
        if !isNew, !overwrite { return .reply(412) }
        _ = remove(destination)
        for (file, data) in files where file == path || file.hasPrefix(path + "/") {
            files[file] = nil
            files[destination + file.dropFirst(path.count)] = data
        }
        for folder in folders where folder == path || folder.hasPrefix(path + "/") {
            folders.remove(folder)
            folders.insert(destination + folder.dropFirst(path.count))
        }
        return .reply(isNew ? 201 : 204)
    }
}
