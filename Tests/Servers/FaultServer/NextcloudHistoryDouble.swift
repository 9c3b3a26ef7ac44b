package import Foundation
import Synchronization

/// Stands in for the trash and the versions of a Nextcloud server, of the user `u`, as Nextcloud's developer manual
/// describes “Trashbin” and “Versions”: what is removed goes to the trash, and what is replaced stays as a version.
package final class NextcloudHistoryDouble: Sendable {
    fileprivate struct File {
        var data: Data
        let number: Int
        var time: Int
        var versions: [(time: Int, data: Data)] = []
    }

    fileprivate struct State {
        /// By name, in the user's root.
        var files: [String: File] = [:]
        var trash: [String: (file: File, location: String)] = [:]
        var clock = 1_700_000_000
    }

    private let state = Mutex(State())
    private static let files = "/remote.php/dav/files/u/"
    private static let trash = "/remote.php/dav/trashbin/u/trash"
    private static let versions = "/remote.php/dav/versions/u/versions"

    /// No file yet.
    package init() {}

    /// What a file in the user's root holds; nil where there is none.
    package func file(_ name: String) -> Data? { state.withLock { $0.files[name]?.data } }

    /// Answers one request.
    package func answer(_ request: FaultServer.Request) -> FaultServer.Answer {
        let path = Self.path(request.target)
        return state.withLock { state in
            state.clock += 10
            if path == Self.trash || path.hasPrefix(Self.trash + "/") { return state.trash(request, path) }
            if path.hasPrefix(Self.versions + "/") { return state.versions(request, path) }
            return state.files(request, String(path.dropFirst(Self.files.count)))
        }
    }

    private static func path(_ target: String) -> String {
        let path = target.replacing(/^https?:\/\/[^\/]*/, with: "").removingPercentEncoding ?? ""
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    fileprivate static func multistatus(_ items: [(href: String, properties: String)]) -> FaultServer.Answer {
        let responses = items.map { item in
            """
            <d:response><d:href>\(item.href)</d:href><d:propstat><d:prop>\(item.properties)</d:prop>\
            <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>
            """
        }
        let names = #"xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:nc="http://nextcloud.org/ns""#
        return .reply(207, body: Data("<d:multistatus \(names)>\(responses.joined())</d:multistatus>".utf8))
    }

    fileprivate static func encoded(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~")))
            ?? ""
    }

    fileprivate static let folder = "<d:resourcetype><d:collection/></d:resourcetype>"

    fileprivate static func properties(_ data: Data, time: Int) -> String {
        var (seconds, parts) = (time_t(time), tm())
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 64)
        strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        let modified = text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        return """
            <d:resourcetype/><d:getcontentlength>\(data.count)</d:getcontentlength>\
            <d:getlastmodified>\(modified)</d:getlastmodified>\
            <d:getetag>"\(time)"</d:getetag>
            """
    }
}

extension NextcloudHistoryDouble.State {
    fileprivate mutating func files(_ request: FaultServer.Request, _ name: String) -> FaultServer.Answer {
        switch request.method {
        case "OPTIONS": return .reply(200, headers: ["DAV": "1, 3, nextcloud-checksum-update"])
        case "PUT":
            if let before = files[name] {
                files[name]?.versions.append((before.time, before.data))
                files[name]?.data = request.body
                files[name]?.time = clock
                return .reply(204)
            }
            files[name] = .init(data: request.body, number: clock, time: clock)
            return .reply(201)
        case "GET": return files[name].map { .reply(200, body: $0.data) } ?? .reply(404)
        case "DELETE":
            guard let file = files.removeValue(forKey: name) else { return .reply(404) }
            trash["\(name).d\(clock)"] = (file, name)
            return .reply(204)
        case "PROPFIND":
            let href = "/remote.php/dav/files/u/\(NextcloudHistoryDouble.encoded(name))"
            if name.isEmpty {
                return NextcloudHistoryDouble.multistatus([(request.target, NextcloudHistoryDouble.folder)])
            }
            guard let file = files[name] else { return .reply(404) }
            let properties = NextcloudHistoryDouble.properties(file.data, time: file.time)
            return NextcloudHistoryDouble.multistatus([(href, properties + "<oc:fileid>\(file.number)</oc:fileid>")])
        case "MOVE":
            let last = request.headers["destination"]?.split(separator: "/").last.map(String.init)
            let target = last?.removingPercentEncoding ?? ""
            guard let file = files.removeValue(forKey: name) else { return .reply(404) }
            if let before = files[target] {
                files[target]?.versions.append((before.time, before.data))
                files[target]?.data = file.data
                files[target]?.time = clock
            } else {
                files[target] = file
            }
            return .reply(201)
        default: return .reply(405)
        }
    }

    fileprivate mutating func trash(_ request: FaultServer.Request, _ path: String) -> FaultServer.Answer {
        let root = "/remote.php/dav/trashbin/u/trash"
        let name = String(path.dropFirst(root.count + 1))
        switch request.method {
        case "PROPFIND" where name.isEmpty:
            let items = trash.sorted { $0.key < $1.key }.map { item in
                let time = item.key.split(separator: ".d").last ?? ""
                return (
                    href: "\(root)/\(NextcloudHistoryDouble.encoded(item.key))",
                    properties: """
                    <d:resourcetype/><d:getcontentlength>\(item.value.file.data.count)</d:getcontentlength>\
                    <nc:trashbin-filename>\(item.value.location)</nc:trashbin-filename>\
                    <nc:trashbin-original-location>\(item.value.location)</nc:trashbin-original-location>\
                    <nc:trashbin-deletion-time>\(time)</nc:trashbin-deletion-time>
                    """
                )
            }
            return NextcloudHistoryDouble.multistatus(
                [(href: root + "/", properties: NextcloudHistoryDouble.folder)] + items)
        case "MOVE":
            let target = request.headers["destination"] ?? ""
            guard target.contains("/remote.php/dav/trashbin/u/restore/") else { return .reply(403) }
            guard let item = trash.removeValue(forKey: name) else { return .reply(404) }
            files[files[item.location] == nil ? item.location : item.location + " (restored)"] = item.file
            return .reply(201)
        case "DELETE": return .reply(trash.removeValue(forKey: name) == nil ? 404 : 204)
        default: return .reply(405)
        }
    }

    fileprivate mutating func versions(_ request: FaultServer.Request, _ path: String) -> FaultServer.Answer {
        let names = path.dropFirst("/remote.php/dav/versions/u/versions/".count).split(separator: "/").map(String.init)
        guard let number = names.first, let (name, file) = files.first(where: { "\($0.value.number)" == number }) else {
            return .reply(404)
        }
        let version = names.count > 1 ? file.versions.firstIndex { "\($0.time)" == names[1] } : nil
        switch request.method {
        case "PROPFIND" where names.count == 1:
            let items = file.versions.map { version in
                (
                    href: "\(path)/\(version.time)",
                    properties: NextcloudHistoryDouble.properties(version.data, time: version.time)
                )
            }
            return NextcloudHistoryDouble.multistatus(
                [(href: path + "/", properties: NextcloudHistoryDouble.folder)] + items)
        case "GET": return version.map { .reply(200, body: file.versions[$0].data) } ?? .reply(404)
        case "MOVE":
            guard request.headers["destination"]?.hasSuffix("/remote.php/dav/versions/u/restore/target") == true else {
                return .reply(403)
            }
            guard let version else { return .reply(404) }
            files[name]?.versions.append((file.time, file.data))
            files[name]?.data = file.versions[version].data
            files[name]?.time = clock
            return .reply(201)
        default: return .reply(405)
        }
    }
}
