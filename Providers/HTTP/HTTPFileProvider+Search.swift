public import FileProviderCore
import Foundation

extension HTTPFileProvider: FileProviderSearch where Service: HTTPSearchService {
    /// Returns whether the service has a request for this search.
    public func searchesNatively(path: ProviderPath, recursive: Bool, query: FileQuery) async throws -> Bool {
        try service.request(forSearch: query, path: path, recursive: recursive, token: nil) != nil
    }

    /// Searches on the server, page by page, and checks each item with `query`. Lists folders if the service has no
    /// request for the search.
    ///
    /// - Complexity: One request for each page, and one look if nothing was found. The paths of the results are held in
    ///   memory.
    public func searchFiles(
        path: ProviderPath, recursive: Bool, query: FileQuery,
        found: @escaping @Sendable ([FileObject]) async throws -> Void
    ) async throws {
        try await refuseUnheldName(path)
        guard try await searchesNatively(path: path, recursive: recursive, query: query) else {
            return try await searchByListing(path: path, recursive: recursive, query: query, found: found)
        }
        let given = LockedValue<Set<ProviderPath>>([])
        let unusable = LockedValue(UnusableNames())
        try await connection.paginated { token in
            try service.request(forSearch: query, path: path, recursive: recursive, token: token)
        } pageHandler: { data, head in
            let page = try connection.parsing(Service.self, path: path) {
                try service.page(ofSearch: query, path: path, data: data, head: head)
            }
            unusable.update { names in for name in page.leftOut { names.add(nameBytes: name) } }
            return page
        } page: { items in
            let matching = try items.filter { item in
                guard recursive ? item.path.isBelow(path) : item.path.isRight(in: path) else { return false }
                var asked = item
                asked[.url] = asked[.url] ?? self.url(of: item.path)
                return try query.evaluate(asked) && given.update { $0.insert(item.path).inserted }
            }
            if !matching.isEmpty { try await found(matching) }
        }
        let names = unusable.value
        if !names.isEmpty { throw FileError.unusableNames(names, in: path, url: url(of: path)) }
        // Many servers find nothing in a folder that is not there.
        if given.value.isEmpty, !path.isRoot,
            try await !look(at: path).isDirectory
        {
            throw FileError.notADirectory(path, url: url(of: path))
        }
    }
}
