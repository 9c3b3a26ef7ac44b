import FaultServer
import FileProviderCore
import Foundation

/// The other side of ``DriveService``: a tree in memory behind a scripted server, which may misbehave for a request.
final class DriveServer: Sendable {
    fileprivate struct State: Sendable {
        /// Bytes of files; nil for a folder.
        var items: [ProviderPath: Data?] = [.root: Data?.none]
        var tags: [ProviderPath: Int] = [:]
        var uploads: [Int: [Int: Data]] = [:]
        /// Finished or given up: a part that is still on its way then does not begin them anew.
        var ended: Set<Int> = []
        var clock = 0
    }

    private let state = LockedValue(State())
    private let server: FaultServer

    /// - Parameter misbehave: Answers in the drive's place; nil for the drive's own answer.
    init(misbehave: @escaping @Sendable (FaultServer.Request) -> FaultServer.Answer? = { _ in nil }) throws {
        let state = state
        server = try FaultServer { request in misbehave(request) ?? state.update { $0.answer(request) } }
    }

    deinit {
        server.stop()
    }

    var url: URL { server.url() }
    var requests: [FaultServer.Request] { server.requests }
    /// Uploads in parts that have neither ended nor been given up.
    var openUploads: Int { state.value.uploads.count }

    func put(_ path: ProviderPath, _ data: Data?) { state.update { $0.items[path] = .some(data) } }
}

extension DriveServer.State {
    fileprivate mutating func answer(_ request: FaultServer.Request) -> FaultServer.Answer {
        let parts = request.target.split(separator: "?", maxSplits: 1)
        guard let path = try? ProviderPath(percentEncoded: String(parts[0])) else { return refusal(400, "bad") }
        var query: [String: String] = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            query[sides[0]] = sides.count > 1 ? sides[1] : ""
        }
        let isExclusive = request.headers["if-none-match"] == "*"
        switch request.method {
        case "GET", "HEAD": return read(path, query, range: request.headers["range"])
        case "PUT":
            if let upload = query["upload"].flatMap({ Int($0) }), let number = query["part"].flatMap({ Int($0) }) {
                if ended.contains(upload) { return refusal(404, "ended") }
                uploads[upload, default: [:]][number] = request.body
                return .reply(200)
            }
            if let wanted = request.headers["if-match"], wanted != tag(path) { return refusal(412, "changed") }
            return make(path, request.body, isExclusive: isExclusive)
        case "DELETE":
            if let upload = query["upload"].flatMap({ Int($0) }) {
                uploads[upload] = nil
                ended.insert(upload)
                return .reply(204)
            }
            for item in items.keys where item == path || item.isBelow(path) { items[item] = nil }
            return .reply(204)
        case "POST": return change(path, query, isExclusive: isExclusive)
        default: return refusal(405, "method")
        }
    }

    private func read(_ path: ProviderPath, _ query: [String: String], range: String?) -> FaultServer.Answer {
        guard let content = items[path] else { return refusal(409, "missing") }
        if query["meta"] != nil { return json(item(path)) }
        if let size = query["list"].flatMap({ Int($0) }) {
            // The token is the last name: what changes between two pages shifts nothing.
            let names = items.keys.filter { $0.parent == path }.sorted { $0.percentEncoded < $1.percentEncoded }.map(
                item)
            let rest = names.drop { item in query["token"].map { item.name <= $0 } ?? false }
            return json(
                DrivePage(items: Array(rest.prefix(size)), next: rest.count > size ? rest.prefix(size).last?.name : nil)
            )
        }
        guard let content else { return refusal(405, "folder") }
        guard let range = range?.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        else {
            return .reply(200, headers: ["ETag": tag(path)], body: content)
        }
        let start = Int(range[0]) ?? max(0, content.count - (Int(range[1]) ?? 0))
        let end = range[0].isEmpty ? content.count - 1 : min(content.count - 1, Int(range[1]) ?? .max)
        guard start <= end else { return .reply(416, headers: ["Content-Range": "bytes */\(content.count)"]) }
        return .reply(
            206, headers: ["ETag": tag(path), "Content-Range": "bytes \(start)-\(end)/\(content.count)"],
            body: Data(content[start...end]))
    }

    private mutating func change(_ path: ProviderPath, _ query: [String: String], isExclusive: Bool)
        -> FaultServer.Answer
    {
        if query["folder"] != nil { return make(path, nil, isExclusive: true) }
        if let upload = query["finish"].flatMap({ Int($0) }), let parts = uploads.removeValue(forKey: upload) {
            ended.insert(upload)
            return make(path, parts.sorted { $0.key < $1.key }.map(\.value).reduce(Data(), +), isExclusive: isExclusive)
        }
        guard let text = query["move"] ?? query["copy"], let destination = try? ProviderPath(percentEncoded: text)
        else {
            return refusal(400, "bad")
        }
        if isExclusive, items[destination] != nil { return refusal(412, "taken") }
        for (item, content) in items where item == path || item.isBelow(path) {
            let rest = item.components.dropFirst(path.components.count)
            guard let location = try? rest.reduce(destination, { try $0.appending(nameBytes: $1) }) else {
                return refusal(400, "bad")
            }
            items[location] = .some(content)
            clock += 1
            tags[location] = clock
            if query["move"] != nil { items[item] = nil }
        }
        return .reply(201)
    }

    private mutating func make(_ path: ProviderPath, _ content: Data?, isExclusive: Bool) -> FaultServer.Answer {
        if isExclusive, items[path] != nil { return refusal(412, "taken") }
        items[path] = .some(content)
        clock += 1
        tags[path] = clock
        return .reply(201, headers: ["ETag": tag(path)])
    }

    private func tag(_ path: ProviderPath) -> String { "\"\(tags[path] ?? 0)\"" }

    private func item(_ path: ProviderPath) -> DriveItem {
        let content = items[path] ?? nil
        let name = path.isRoot ? "" : String(path.percentEncoded.split(separator: "/").last ?? "")
        return DriveItem(name: name, isFolder: content == nil, size: Int64(content?.count ?? 0), tag: tag(path))
    }

    private func json(_ value: some Encodable) -> FaultServer.Answer {
        guard let body = try? JSONEncoder().encode(value) else { return refusal(500, "broken") }
        return .reply(200, headers: ["Content-Type": "application/json"], body: body)
    }

    private func refusal(_ status: Int, _ reason: String) -> FaultServer.Answer {
        .reply(status, body: Data(#"{"reason":"\#(reason)","words":"The drive says: \#(reason)"}"#.utf8))
    }
}
