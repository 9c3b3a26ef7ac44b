import CurlTransport
public import FileProviderCore
public import Foundation
import HTTPFileProvider
import MediaTypes
public import OPDS

/// Reads catalogues over HTTP: browses, searches, logs in, downloads, and opens publications where they are.
///
/// ```swift
/// let client = CatalogClient(options: ConnectionOptions(credentials: NetrcCredentials()))
/// let feed = try await client.feed(at: url)
/// let found = try await client.search(SearchTerms("whales"), in: feed)
/// ```
///
/// Requests follow the policies of ``options``: certificates are verified, a request that failed for a passing reason is
/// repeated, redirects from `https` to `http` are refused. A secret goes to the origin that its source has it for, and to
/// no other one, wherever the links of a catalogue lead. Nothing is kept on a disk.
public final class CatalogClient: Sendable {
    /// The policies of each request, and the source of passwords and tokens.
    public let options: ConnectionOptions
    /// The limits for reading documents.
    public let limits: CatalogLimits
    let connections: CatalogConnections

    /// Creates a client. Sends nothing.
    public init(options: ConnectionOptions = ConnectionOptions(), limits: CatalogLimits = CatalogLimits()) {
        var options = options
        options.cache = .none
        self.options = options
        self.limits = limits
        connections = CatalogConnections(options: options)
    }

    /// Cancels running requests, which throw `URLError(.cancelled)`. Later requests work as before.
    public func cancelAll() { connections.cancelAll() }
}

extension CatalogClient {
    /// Prefers OPDS 2.0, and takes what real catalogues call their documents.
    private static let accepted = [
        "application/opds+json", "application/opds-publication+json", "application/opds-authentication+json;q=0.9",
        "application/atom+xml;q=0.9", "application/opensearchdescription+xml;q=0.8", "application/json;q=0.7",
        "application/xml;q=0.7", "text/xml;q=0.7", "*/*;q=0.1",
    ].joined(separator: ", ")

    /// Returns the feed at `url`, of OPDS 1.2 or 2.0.
    ///
    /// - Parameter url: An `http` or `https` address. Its user and password are used for all of its origin from then on.
    /// - Throws: As ``document(at:)``; `CocoaError(.fileReadCorruptFile)` for a document of another kind.
    /// - Complexity: One request, and further ones to log in.
    public func feed(at url: URL) async throws -> Feed {
        if case .feed(let feed) = try await document(at: url) { return feed }
        throw other(than: "a feed", at: url)
    }

    /// Returns the publication whose entry document is at `url`, of OPDS 1.2 or 2.0; some catalogues send a feed of one
    /// publication instead.
    ///
    /// - Throws: As ``document(at:)``; `CocoaError(.fileReadCorruptFile)` for a document of another kind.
    public func publication(at url: URL) async throws -> FeedPublication {
        switch try await document(at: url) {
        case .publication(let publication): return publication
        case .feed(let feed) where feed.allPublications.count == 1: return feed.allPublications[0]
        default: throw other(than: "a publication", at: url)
        }
    }

    /// Returns the document at `url`, whichever of a catalogue's it is.
    ///
    /// - Throws: ``LoginRequired`` if the catalogue asks for a login and there is none that it accepts;
    ///   `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadCorruptFile)` for a document that is not one of a
    ///   catalogue; `CocoaError(.fileReadTooLarge)` over ``limits``; `URLError` for failures of the network.
    public func document(at url: URL) async throws -> CatalogDocument {
        try await withLogin(at: url) { connection in
            var request = HTTPRequest(
                "GET", path: url.shownPath, headers: [("Accept", Self.accepted)], accepts: [401])
            request.url = url.withoutUser
            let (data, head) = try await received(request, over: connection)
            if head.status == 401 { throw Refusal(head: head, cause: connection.error(head, request: request)) }
            // Relative addresses belong to the document that was read.
            let place = head.redirectedTo ?? url.withoutUser
            let type = head["Content-Type"].flatMap { MediaType($0) }
            return try CatalogDocument(data: data, url: place, mediaType: type, limits: limits)
        }
    }

    private func received(_ request: HTTPRequest, over connection: HTTPConnection) async throws -> (Data, ResponseHead)
    {
        do { return try await connection.data(for: request, limit: limits.bytes) } catch let error as URLError
            where (error.userInfo[NSUnderlyingErrorKey] as? CocoaError)?.code == .fileReadTooLarge
        {
            throw FileError.make(
                .fileReadTooLarge, path: request.path, url: request.url,
                sentence: "“\(request.path)” is longer than \(limits.bytes) bytes, the most that a document may have.",
                underlying: error)
        }
    }

    private func other(than kind: String, at url: URL) -> CocoaError {
        FileError.make(
            .fileReadCorruptFile, path: url.shownPath, url: url,
            sentence:
                "“\(url.withoutSecrets.absoluteString)” is not \(kind) of a catalogue, but another of its documents.")
    }
}

extension URL {
    /// The path of the address for messages.
    var shownPath: ProviderPath { (try? ProviderPath(percentEncoded: path(percentEncoded: true))) ?? .root }
}
