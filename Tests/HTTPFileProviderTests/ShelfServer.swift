import FaultServer
import FileProviderCore
import Foundation

/// The other side of ``ShelfService``: a plain tree in memory behind a scripted server, without dates, and without
/// versions unless a test asks for them. A folder that is read is an empty answer like that of an empty file.
final class ShelfServer: Sendable {
    fileprivate struct State: Sendable {
        /// Bytes of files; nil for a folder.
        var items: [ProviderPath: Data?] = [.root: Data?.none]
        /// How often something was put at a path: the tag of what is there.
        var versions: [ProviderPath: Int] = [:]
        let hasVersions: Bool

        mutating func put(_ path: ProviderPath, _ content: Data?) {
            items[path] = .some(content)
            versions[path, default: 0] += 1
        }
    }

    private let state: LockedValue<State>
    private let server: FaultServer

    /// - Parameters:
    ///   - hasVersions: Whether answers to reads and looks have an `ETag`.
    ///   - misbehave: Answers in the shelf's place; nil for the shelf's own answer.
    init(
        hasVersions: Bool = false,
        misbehave: @escaping @Sendable (FaultServer.Request) -> FaultServer.Answer? = { _ in nil }
    ) throws {
        let state = LockedValue(State(hasVersions: hasVersions))
        self.state = state
        server = try FaultServer { request in misbehave(request) ?? state.update { $0.answer(request) } }
    }

    deinit {
        server.stop()
    }

    var url: URL { server.url() }
    var requests: [FaultServer.Request] { server.requests }
    /// The paths of all that there is, in order, but the root's.
    var paths: [String] { state.value.items.keys.filter { !$0.isRoot }.map(\.string).sorted() }

    /// Puts a file there, a folder where `data` is nil.
    func put(_ path: String, _ data: Data?) throws {
        let path = try ProviderPath(path)
        state.update { $0.put(path, data) }
    }

    func stop() { server.stop() }
}

extension ShelfServer.State {
    private struct Item: Encodable {
        let name: String
        let size: Int?
    }

    private struct Page: Encodable {
        let items: [Item]
        let next: String?
    }

    fileprivate mutating func answer(_ request: FaultServer.Request) -> FaultServer.Answer {
        let parts = request.target.split(separator: "?", maxSplits: 1).map(String.init)
        guard let path = try? ProviderPath(percentEncoded: parts[0]) else { return .reply(400) }
        let query = parts.count > 1 ? parts[1].split(separator: "&").map(String.init) : []
        let isNew = request.headers["if-none-match"] == "*"
        switch request.method {
        case "GET" where query.first == "list": return list(path, after: query.dropFirst().first)
        case "GET", "HEAD": return read(path, range: request.headers["range"])
        case "PUT": return make(path, request.body, isNew: isNew)
        case "POST" where query.first == "folder": return make(path, nil, isNew: true)
        case "DELETE": return remove(path, all: query.first == "all")
        default: return .reply(405)
        }
    }

    /// A hundred items a page, in the order of their names; the next one begins after a name.
    private func list(_ path: ProviderPath, after mark: String?) -> FaultServer.Answer {
        guard let content = items[path] else { return .reply(404) }
        if content != nil { return .reply(400) }
        let last = mark?.split(separator: "=").last.flatMap { try? ProviderPath(percentEncoded: String($0)) }
        let names = items.keys.filter { $0.parent == path }.sorted().drop { item in
            last.map { item.nameBytes.elementsEqual($0.nameBytes) || precedes(item.nameBytes, $0.nameBytes) } ?? false
        }
        let page = Page(
            items: names.prefix(100).map { Item(name: $0.name, size: (items[$0] ?? nil)?.count) },
            next: names.count > 100
                ? names.prefix(100).last.map { String($0.percentEncoded.split(separator: "/").last ?? "") } : nil)
        guard let body = try? JSONEncoder().encode(page) else { return .reply(500) }
        return .reply(200, headers: ["Content-Type": "application/json"], body: body)
    }

    private func precedes(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        one.lexicographicallyPrecedes(other)
    }

    private func read(_ path: ProviderPath, range: String?) -> FaultServer.Answer {
        guard let content = items[path] else { return .reply(404) }
        guard let content else { return .reply(200, headers: ["X-Folder": "1"]) }
        let tag = hasVersions ? ["ETag": "\"\(versions[path, default: 0])\""] : [:]
        guard let bounds = range?.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        else {
            return .reply(200, headers: tag, body: content)
        }
        let start = Int(bounds[0]) ?? max(0, content.count - (Int(bounds[1]) ?? 0))
        let end = bounds[0].isEmpty ? content.count - 1 : min(content.count - 1, Int(bounds[1]) ?? .max)
        guard start <= end else { return .reply(416, headers: ["Content-Range": "bytes */\(content.count)"]) }
        return .reply(
            206, headers: tag.merging(["Content-Range": "bytes \(start)-\(end)/\(content.count)"]) { $1 },
            body: Data(content[start...end]))
    }

    private mutating func make(_ path: ProviderPath, _ content: Data?, isNew: Bool) -> FaultServer.Answer {
        guard let parent = path.parent, let folder = items[parent], folder == nil else { return .reply(409) }
        if let there = items[path] {
            if isNew { return .reply(412) }
            if there == nil { return .reply(409) }
        }
        put(path, content)
        return .reply(201)
    }

    private mutating func remove(_ path: ProviderPath, all: Bool) -> FaultServer.Answer {
        guard items[path] != nil, !path.isRoot else { return .reply(404) }
        let inside = items.keys.filter { $0.isBelow(path) }
        if !all, !inside.isEmpty { return .reply(409) }
        for gone in inside + [path] { items[gone] = nil }
        return .reply(204)
    }
}
