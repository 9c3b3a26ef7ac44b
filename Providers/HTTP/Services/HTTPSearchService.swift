public import CurlTransport
public import FileProviderCore
public import Foundation

/// A service whose server searches; its provider is a `FileProviderSearch`.
///
/// The server may find too much: the provider checks each item with the query, leaves out items outside the folder, and
/// returns each item once. It must not find too little: for a query that the server cannot express, return the request
/// for a wider one, or nil.
public protocol HTTPSearchService: HTTPService {
    /// Returns the request for a page of the items that match `query` below the folder at `path`.
    ///
    /// Nil for the first page means that the server cannot search for this: the provider then lists folders. Nil for a
    /// later page ends the search.
    ///
    /// - Parameters:
    ///   - recursive: Whether deeper items are wanted, too. A server that always searches deeper may be used in either
    ///     case.
    ///   - token: The token from the page before; nil for the first page.
    func request(forSearch query: FileQuery, path: ProviderPath, recursive: Bool, token: String?) throws -> HTTPRequest?

    /// Parses the answer to ``request(forSearch:path:recursive:token:)``: items with their whole paths, and the token of
    /// the next page.
    func page(ofSearch query: FileQuery, path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage
}
