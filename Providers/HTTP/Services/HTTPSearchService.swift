public import CurlTransport
public import FileProviderCore
public import Foundation

/// A service whose server searches; its provider is a `FileProviderSearch`.
///
/// The server may find more than was asked for: the provider asks the query about each item, leaves out what does not
/// lie below the folder, and gives each item once. What the server does not find is not found: a query that it cannot
/// say in full is answered with a wider one, or with nil.
public protocol HTTPSearchService: HTTPService {
    /// The request for a page of what matches `query` below the folder at `path`.
    ///
    /// Nil for the first page says that the server cannot search for this: folders are listed then. Nil for a later one
    /// ends the search.
    ///
    /// - Parameters:
    ///   - recursive: Whether what lies deeper than right in the folder is wanted, too. A server that always goes
    ///     deeper may be asked all the same.
    ///   - token: What the page before gave; nil for the first page.
    func request(forSearch query: FileQuery, path: ProviderPath, recursive: Bool, token: String?) throws -> HTTPRequest?

    /// Reads the answer to ``request(forSearch:path:recursive:token:)``: items with their whole paths, and how to ask
    /// for the next page.
    func page(ofSearch query: FileQuery, path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage
}
