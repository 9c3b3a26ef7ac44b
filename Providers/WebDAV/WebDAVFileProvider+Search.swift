import CurlTransport
public import FileProviderCore
import Foundation
import HTTPFileProvider

/// Searching on the server, where it offers a basic search (RFC 5323).
extension WebDAVFileProvider: FileProviderSearch {
    /// Returns whether the server can search and leave out some items. Without `recursive` one listing is enough, and
    /// a search gains nothing.
    public func searchesNatively(path: ProviderPath, recursive: Bool, query: FileQuery) async throws -> Bool {
        guard recursive else { return false }
        return try await searchRequest(query, in: path) != nil
    }

    /// Searches with one request if the server can leave out some items, and checks each item of the answer. Lists
    /// folders otherwise, also if the server refuses the search or cuts its answer short.
    ///
    /// - Complexity: One request if the server searches, for any number of folders.
    public func searchFiles(
        path: ProviderPath, recursive: Bool, query: FileQuery,
        found: @escaping @Sendable ([FileObject]) async throws -> Void
    ) async throws {
        guard recursive, let request = try await searchRequest(query, in: path) else {
            return try await searchByListing(path: path, recursive: recursive, query: query, found: found)
        }
        let run = SearchRun(query: query, found: found)
        guard try await !search(request, in: path, run) else { return }
        try await searchByListing(path: path, recursive: true, query: query) { items in
            let rest = items.filter { !run.given.value.contains($0.path) }
            if !rest.isEmpty { try await found(rest) }
        }
    }

    /// The results of one search so far, and the reason for its end, if its caller ended it.
    private struct SearchRun: Sendable {
        let query: FileQuery
        let found: @Sendable ([FileObject]) async throws -> Void
        let given = LockedValue<Set<ProviderPath>>([])
        let callersError = LockedValue<(any Error)?>(nil)

        func take(_ items: [FileObject], of provider: WebDAVFileProvider) async throws {
            do {
                let matching = try items.filter { item in
                    var asked = item
                    asked[.url] = provider.url(of: item.path)
                    // A server that names an item twice has not found two.
                    return try query.evaluate(asked) && given.update { $0.insert(item.path).inserted }
                }
                if !matching.isEmpty { try await found(matching) }
            } catch {
                callersError.update { $0 = error }
                throw error
            }
        }
    }

    /// - Returns: Whether the answer was complete; a server that refuses is one whose answer was not.
    private func search(_ request: HTTPRequest, in path: ProviderPath, _ run: SearchRun) async throws -> Bool {
        let asked = RequestedItem(path: rootPath.appending(path), isFolder: true, kept: 0, encoding: hrefEncoding.value)
        let isCut = LockedValue(false)
        do {
            try await multistatus(request) { responses in
                // If there were too many results, the answer says so about itself (RFC 5323, section 2.3.1).
                if responses.contains(where: { $0.status == 507 }) { isCut.update { $0 = true } }
                let items = responses.compactMap { response -> FileObject? in
                    if response.hasFailed { return nil }
                    guard let names = asked.names(downTo: response.href),
                        let location = try? ProviderPath(bytes: names.joined(separator: "/".utf8))
                    else {
                        // An item was found, at an unknown place.
                        isCut.update { $0 = true }
                        return nil
                    }
                    return names.isEmpty ? nil : response.item(at: path.appending(location))
                }
                try await run.take(items, of: self)
            }
            return !isCut.value
        } catch {
            if let own = run.callersError.value { throw own }
            if let refusal = error as? HTTPStatusError, [405, 501].contains(refusal.code.rawValue) {
                known.correct { $0.searches = false }
            }
            guard error is CocoaError || error is HTTPStatusError || (error as? URLError)?.code == .badServerResponse,
                !error.isCancellation
            else { throw error }
            return false
        }
    }

    /// The search that answers `query`; nil where the server does not search, or could leave nothing out.
    private func searchRequest(_ query: FileQuery, in path: ProviderPath) async throws -> HTTPRequest? {
        let quirks = try await quirks()
        guard quirks.searches else { return nil }
        let isNextcloud = quirks.vendor == .nextcloud
        let files = try await ownCloudFiles(at: path)
        // Its older WebDAV has no search.
        if isNextcloud, files?.dav == nil { return nil }
        guard case .condition(let condition, let operators) = BasicSearch(query, isNextcloud ? .nextcloud : .init()),
            operators <= BasicSearch.maxOperators
        else { return nil }
        // Nextcloud counts the scope from the root of its WebDAV, which alone takes the request.
        let scope =
            isNextcloud
            ? "/" + (files?.scope.percentEncoded ?? "")
            : connection.url(of: path, isFolder: true).path(percentEncoded: true)
        let body = """
            <?xml version="1.0" encoding="utf-8"?><D:searchrequest \(Self.namespaces)><D:basicsearch>\
            <D:select><D:prop>\(Self.searchedProperties)\(isNextcloud ? Self.ownCloudProperties : "")</D:prop></D:select>\
            <D:from><D:scope><D:href>\(scope)</D:href><D:depth>infinity</D:depth></D:scope></D:from>\
            <D:where>\(condition)</D:where></D:basicsearch></D:searchrequest>
            """
        var request = HTTPRequest(
            "SEARCH", path: path, isFolder: true, headers: [("Content-Type", "text/xml; charset=utf-8")],
            body: .data(Data(body.utf8)))
        if isNextcloud, let dav = files?.dav { request.url = serverURL(dav, isFolder: true) }
        return request
    }

    /// Nextcloud refuses a search that asks for others.
    private static let searchedProperties =
        "<D:resourcetype/><D:getcontentlength/><D:getlastmodified/><D:getetag/><D:getcontenttype/>"
}
