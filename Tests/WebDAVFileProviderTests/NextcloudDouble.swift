import FaultServer
import FileProviderCore
import Foundation

/// Stands in for a Nextcloud server, none of which runs here: files and chunks of `u`, as Nextcloud's developer manual
/// describes “Chunked file upload”, version 2. What the manual does not say, such as who wins a race, is not shown by
/// it.
final class NextcloudDouble: Sendable {
    struct State: Sendable {
        /// By path, percent-decoded.
        var files: [String: Data] = [:]
        var folders: Set<String> = ["/remote.php/dav/files/u", "/remote.php/dav/uploads/u"]
        var times: [String: String] = [:]
        /// Statuses with which the next requests of a method are answered; what they ask for is done all the same where
        /// the sign is minus.
        var faults: [String: [Int]] = [:]
    }

    let state = LockedValue(State())
    static let files = "/remote.php/dav/files/u/"

    func answer(_ request: FaultServer.Request) -> FaultServer.Answer {
        state.update { state in
            let path = Self.path(request.target)
            let fault =
                state.faults[request.method]?.isEmpty == false ? state.faults[request.method]?.removeFirst() ?? 0 : 0
            if fault > 0 { return .reply(fault) }
            let answer = state.answer(request, path)
            return fault < 0 ? .reply(-fault) : answer
        }
    }

    fileprivate static func path(_ target: String) -> String {
        let path = target.replacing(/^https?:\/\/[^\/]*/, with: "").removingPercentEncoding ?? ""
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}

extension NextcloudDouble.State {
    fileprivate mutating func answer(_ request: FaultServer.Request, _ path: String) -> FaultServer.Answer {
        let isUpload = path.hasPrefix("/remote.php/dav/uploads/")
        // Version 2: every request of an upload names its target.
        if isUpload, ["MKCOL", "PUT", "MOVE"].contains(request.method), request.headers["destination"] == nil {
            return .reply(400)
        }
        switch request.method {
        case "OPTIONS":
            return .reply(200, headers: ["DAV": "1, 3, extended-mkcol, nextcloud-checksum-update", "Server": "Apache"])
        case "MKCOL":
            if !folders.insert(path).inserted { return .reply(405) }
        case "PUT":
            files[path] = request.body
            times[path] = request.headers["x-oc-mtime"]
            let accepted = request.headers["x-oc-mtime"].map { _ in ["X-OC-MTime": "accepted"] } ?? [:]
            return .reply(201, headers: accepted.merging(["OC-ETag": tag(of: request.body)]) { $1 })
        case "DELETE":
            files = files.filter { $0.key != path && !$0.key.hasPrefix(path + "/") }
            folders.remove(path)
            return .reply(204)
        case "PROPFIND": return list(path, isDeep: request.headers["depth"] == "1")
        case "MOVE": return join(path, request)
        case "GET": return files[path].map { .reply(200, headers: ["ETag": tag(of: $0)], body: $0) } ?? .reply(404)
        default: return .reply(405)
        }
        return .reply(201)
    }

    private mutating func join(_ path: String, _ request: FaultServer.Request) -> FaultServer.Answer {
        let target = NextcloudDouble.path(request.headers["destination"] ?? "")
        if request.headers["overwrite"] == "F", files[target] != nil { return .reply(412) }
        if let data = files.removeValue(forKey: path) {
            files[target] = data
            return .reply(201)
        }
        let folder = path.replacing("/.file", with: "")
        guard folders.contains(folder), path.hasSuffix("/.file") else { return .reply(404) }
        let names = files.keys.filter { $0.hasPrefix(folder + "/") }.sorted()
        let whole = names.reduce(into: Data()) { $0 += files[$1] ?? Data() }
        guard request.headers["oc-total-length"] == "\(whole.count)" else { return .reply(400) }
        for name in names { files[name] = nil }
        folders.remove(folder)
        files[target] = whole
        times[target] = request.headers["x-oc-mtime"]
        return .reply(201, headers: ["OC-ETag": tag(of: whole)])
    }

    private func tag(of data: Data) -> String { "\"\(data.hashValue)\"" }

    private func list(_ path: String, isDeep: Bool) -> FaultServer.Answer {
        guard folders.contains(path) || files[path] != nil else { return .reply(404) }
        let children =
            isDeep
            ? files.keys.filter { $0.hasPrefix(path + "/") && !$0.dropFirst(path.count + 1).contains("/") }.sorted()
            : []
        let items = ([path] + children).map { item in
            let size = files[item].map {
                "<d:getcontentlength>\($0.count)</d:getcontentlength><d:getetag>\(tag(of: $0))</d:getetag>"
            }
            return """
                <d:response><d:href>\(item)</d:href><d:propstat><d:prop><d:resourcetype>\(size == nil ? "<d:collection/>" : "")\
                </d:resourcetype>\(size ?? "")</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>
                """
        }
        return .reply(207, body: Data("<d:multistatus xmlns:d=\"DAV:\">\(items.joined())</d:multistatus>".utf8))
    }
}
