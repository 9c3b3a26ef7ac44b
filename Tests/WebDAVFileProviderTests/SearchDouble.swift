import FaultServer
import FileProviderCore
import Foundation
import SafeXML

/// A tree of files that a server shows by `PROPFIND` and searches as RFC 5323 and Nextcloud's documentation say.
struct SearchDouble: Sendable {
    struct Item: Sendable {
        /// Counted from ``root``; a folder's ends in a slash.
        var path: String
        var size = 1
        var modified = Date(timeIntervalSince1970: 1_700_000_000)
        var type = "text/plain"

        var name: String { path.split(separator: "/").last.map(String.init) ?? "" }
        var isFolder: Bool { path.hasSuffix("/") }
    }

    /// The href of the folder that holds everything.
    var root = "/remote.php/dav/files/ada/"
    var items: [Item]

    func find(_ condition: XMLElement) -> [Item] { items.filter { holds(condition, for: $0) == true } }

    /// One operator; nil for “unknown”, as for a property that is not there (RFC 5323, section 5.4).
    func holds(_ condition: XMLElement, for item: Item) -> Bool? {
        let values = condition.children.map { holds($0, for: item) }
        switch condition.name {
        case "and": return values.contains(false) ? false : values.contains(nil) ? nil : true
        case "or": return values.contains(true) ? true : values.contains(nil) ? nil : false
        case "not": return values.first.flatMap { $0.map { !$0 } }
        case "is-collection": return item.isFolder
        default: break
        }
        guard let property = condition.first("prop")?.children.first?.name,
            let literal = condition.first("literal")?.text
        else {
            return nil
        }
        if property == "displayname" || property == "getcontenttype" {
            if property == "getcontenttype", item.isFolder { return nil }
            return like(property == "displayname" ? item.name : item.type, literal)
        }
        guard
            let left = property == "getlastmodified"
                ? item.modified.timeIntervalSince1970 : item.isFolder && property != "size" ? nil : Double(item.size),
            let right = property == "getlastmodified"
                ? (try? Date(literal, strategy: .iso8601))?.timeIntervalSince1970 : Double(literal)
        else { return nil }
        return switch condition.name {
        case "eq": left == right
        case "lt": left < right
        case "lte": left <= right
        case "gt": left > right
        case "gte": left >= right
        default: nil
        }
    }

    /// Without regard to the case of ASCII letters, and else by code points, as a database does it.
    func like(_ text: String, _ pattern: String) -> Bool {
        func fits(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            if first == "%" {
                return (text.startIndex...text.endIndex).contains { fits(text[$0...], pattern.dropFirst()) }
            }
            guard let next = text.first,
                first == "_" || next == first
                    || next.isASCII && next.properties.lowercaseMapping == first.properties.lowercaseMapping
            else { return false }
            return fits(text.dropFirst(), pattern.dropFirst())
        }
        return fits(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
    }

    // MARK: Over HTTP

    /// What `PROPFIND` and `SEARCH` answer; all that is found is given, with `extra` behind it.
    func answer(_ request: FaultServer.Request, extra: [String] = []) -> FaultServer.Answer {
        switch request.method {
        case "SEARCH":
            guard let document = try? XMLElement.parse(request.body),
                let scope = document.descendants("href").first?.text,
                let condition = document.descendants("where").first?.children.first
            else { return .reply(400) }
            // Either counted from the root of the server's WebDAV, or an absolute path.
            let folder = scope.hasPrefix("/files/") ? "/remote.php/dav" + scope + "/" : scope
            return ScriptedReply.multistatus(
                find(condition).filter { href(of: $0).hasPrefix(folder) }.map(response) + extra)
        case "PROPFIND":
            let folder = request.target.hasSuffix("/") ? request.target : request.target + "/"
            guard folder == root || items.contains(where: { href(of: $0) == folder }) else { return .reply(404) }
            let inside = items.filter { item in
                let rest = href(of: item).dropFirst(folder.count)
                return href(of: item).hasPrefix(folder) && !rest.isEmpty && !rest.dropLast().contains("/")
            }
            return ScriptedReply.multistatus([ScriptedReply.response(folder, isFolder: true)] + inside.map(response))
        default: return .reply(501)
        }
    }

    private func href(of item: Item) -> String {
        root + (item.path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? "")
    }

    private func response(_ item: Item) -> String {
        let date = item.modified.formatted(Date.ISO8601FormatStyle())
        let type = item.isFolder ? "" : "<D:getcontenttype>\(item.type)</D:getcontenttype>"
        return ScriptedReply.response(
            href(of: item), isFolder: item.isFolder, size: item.size,
            properties: "<D:getlastmodified>\(date)</D:getlastmodified>\(type)")
    }
}
