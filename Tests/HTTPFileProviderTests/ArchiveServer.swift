import FaultServer
import FileProviderCore
import Foundation

/// The other side of ``ArchiveService``: files in memory behind a scripted server, which may misbehave for a request.
final class ArchiveServer: Sendable {
    fileprivate struct Removed: Sendable {
        let id: Int
        let path: ProviderPath
        let versions: [Data]
    }

    fileprivate struct State: Sendable {
        /// What was ever written to a file that is there, the newest last; its number is its place, counted from 1.
        var files: [ProviderPath: [Data]] = [:]
        var removed: [Removed] = []
        /// Files removed so far.
        var count = 0
    }

    private let state = LockedValue(State())
    private let server: FaultServer

    /// - Parameter misbehave: Answers in the archive's place; nil for the archive's own answer.
    init(misbehave: @escaping @Sendable (FaultServer.Request) -> FaultServer.Answer? = { _ in nil }) throws {
        let state = state
        server = try FaultServer { request in misbehave(request) ?? state.update { $0.answer(request) } }
    }

    deinit {
        server.stop()
    }

    var url: URL { server.url() }
    var requests: [FaultServer.Request] { server.requests }

    /// Writes a file.
    func put(_ path: String, _ text: String) throws {
        let path = try ProviderPath(path)
        state.update { $0.files[path, default: []].append(Data(text.utf8)) }
    }
}

extension ArchiveServer.State {
    private struct Item: Encodable {
        let name: String
        let size: Int
    }

    private struct Page: Encodable {
        let items: [Item]
    }

    fileprivate mutating func answer(_ request: FaultServer.Request) -> FaultServer.Answer {
        let parts = request.target.split(separator: "?", maxSplits: 1).map(String.init)
        guard let path = try? ProviderPath(percentEncoded: parts[0]) else { return .reply(400) }
        let query = (parts.count > 1 ? parts[1] : "").split(separator: "=", maxSplits: 1).map(String.init)
        let number = query.count > 1 ? Int(query[1]) : nil
        switch (request.method, query.first ?? "") {
        case ("GET", "list"): return list(path)
        case ("GET", "removed"): return listRemoved(below: path, from: number ?? 0)
        case ("POST", "restore"): return restore(number)
        case ("DELETE", "removed"): return .reply(take(number) == nil ? 404 : 204)
        case ("GET", "versions"): return versions(of: path)
        case ("POST", "version"): return makeNewest(path, number)
        case ("GET", _), ("HEAD", _): return read(path, number)
        case ("PUT", _):
            files[path, default: []].append(request.body)
            return .reply(201)
        case ("DELETE", _): return remove(path)
        default: return .reply(405)
        }
    }

    private func list(_ folder: ProviderPath) -> FaultServer.Answer {
        json(
            Page(
                items: files.filter { $0.key.parent == folder }.map { file in
                    Item(name: file.key.name, size: file.value.last?.count ?? 0)
                }))
    }

    /// Two a page, in the order in which they were removed.
    private func listRemoved(below folder: ProviderPath, from start: Int) -> FaultServer.Answer {
        let found = removed.filter { $0.path == folder || $0.path.isBelow(folder) }.dropFirst(start)
        let items = found.prefix(2).map { item in
            ArchivedItem(
                id: item.id, path: item.path.percentEncoded, size: Int64(item.versions.last?.count ?? 0))
        }
        return json(ArchivePage(items: items, next: found.count > 2 ? start + 2 : nil))
    }

    private mutating func take(_ id: Int?) -> ArchiveServer.Removed? {
        removed.firstIndex { $0.id == id }.map { removed.remove(at: $0) }
    }

    private mutating func restore(_ id: Int?) -> FaultServer.Answer {
        guard let item = removed.first(where: { $0.id == id }) else { return .reply(404) }
        if files[item.path] != nil { return .reply(409) }
        files[item.path] = item.versions
        return .reply(take(id) == nil ? 404 : 201)
    }

    private mutating func remove(_ path: ProviderPath) -> FaultServer.Answer {
        guard let versions = files.removeValue(forKey: path) else { return .reply(404) }
        count += 1
        removed.append(ArchiveServer.Removed(id: count, path: path, versions: versions))
        return .reply(204)
    }

    private func versions(of path: ProviderPath) -> FaultServer.Answer {
        guard let versions = files[path] else { return .reply(404) }
        return json(
            versions.enumerated().reversed().map { version in
                ArchivedVersion(
                    number: version.offset + 1, size: Int64(version.element.count),
                    isCurrent: version.offset == versions.count - 1)
            })
    }

    private func version(_ number: Int?, of path: ProviderPath) -> Data? {
        guard let versions = files[path] else { return nil }
        let index = (number ?? versions.count) - 1
        return versions.indices.contains(index) ? versions[index] : nil
    }

    private func read(_ path: ProviderPath, _ number: Int?) -> FaultServer.Answer {
        guard let data = version(number, of: path) else { return .reply(404) }
        let newest = files[path]?.count ?? 0
        return .reply(200, headers: ["ETag": "\"\(number ?? newest)\""], body: data)
    }

    private mutating func makeNewest(_ path: ProviderPath, _ number: Int?) -> FaultServer.Answer {
        guard let number, let data = version(number, of: path) else { return .reply(404) }
        files[path]?.append(data)
        return .reply(204)
    }

    private func json(_ value: some Encodable) -> FaultServer.Answer {
        guard let body = try? JSONEncoder().encode(value) else { return .reply(500) }
        return .reply(200, headers: ["Content-Type": "application/json"], body: body)
    }
}
