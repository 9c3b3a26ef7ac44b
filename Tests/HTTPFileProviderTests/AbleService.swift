import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// A shelf with every ability that a service can have. What it tells is written down by a test.
struct AbleService: HTTPService {
    static let type = "Able"

    let shelf = ShelfService()
    /// Files on their way at once.
    var transfers = 4
    var moves = false
    var ownOrigins: Set<Origin> = []
    /// Pages of what the server finds: names of files, by token. Empty for a server that cannot search.
    var finds: [String: HTTPPage] = [:]
    let feed = LockedValue(AbleFeed())
    /// Attributes that were set.
    let attributesSet = CollectedValues<(ProviderPath, UInt16?, Date?)>()
    var hash = "00FF"
    /// Whether it cannot read the answers to what changes something.
    var misreads = false
    var thumbnail = Thumbnail(data: Data([1]), mediaType: "image/jpeg", width: 64, height: 48)

    func capabilities(over connection: HTTPConnection) async throws -> Capabilities {
        var capabilities = try await shelf.capabilities(over: connection)
        capabilities[.publicLinks] = .native
        capabilities[.moving] = moves ? .native : .unavailable
        capabilities.hashKinds = ["able"]
        capabilities.concurrentTransfers = transfers
        return capabilities
    }

    func attributesOfItem(path: ProviderPath, over connection: HTTPConnection) async throws -> FileObject {
        try await shelf.attributesOfItem(path: path, over: connection)
    }

    func request(forContentsOf path: ProviderPath, token: String?) throws -> HTTPRequest? {
        try shelf.request(forContentsOf: path, token: token)
    }

    func page(ofContentsOf path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage {
        try shelf.page(ofContentsOf: path, data: data, head: head)
    }

    func request(for operation: HTTPOperation, overwrite: Bool, attributes: HTTPWriteAttributes) throws -> HTTPRequest?
    {
        try shelf.request(for: operation, overwrite: overwrite, attributes: attributes)
    }

    func perform(
        _ operation: HTTPOperation, overwrite: Bool, progress: ProgressReporter, over connection: HTTPConnection
    ) async throws {
        if misreads { _ = try JSONDecoder().decode([String: Int].self, from: Data("<html>".utf8)) }
        try await shelf.perform(operation, overwrite: overwrite, progress: progress, over: connection)
    }

    func serverError(with code: FileProviderHTTPErrorCode, path: ProviderPath, data: Data) -> any FileProviderHTTPError
    {
        shelf.serverError(with: code, path: path, data: data)
    }
}

/// The answers of a server that tells its changes: each is given once, the last one again and again.
struct AbleFeed: Sendable {
    /// Tokens for who begins anew.
    var tokens = ["1"]
    /// Nil where the server has forgotten the token.
    var pages: [HTTPChangesPage?] = []
    /// The tokens that were asked with.
    var asked: [String] = []
    var waits = true
}

extension AbleService: HTTPSearchService {
    func request(forSearch query: FileQuery, path: ProviderPath, recursive: Bool, token: String?) throws -> HTTPRequest?
    {
        finds.isEmpty ? nil : HTTPRequest("GET", path: .root, query: "list&search=\(token ?? "first")")
    }

    func page(ofSearch query: FileQuery, path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage {
        finds[head["X-Search"] ?? ""] ?? HTTPPage([])
    }
}

extension AbleService: HTTPChangesService {
    func changesToken(path: ProviderPath, over connection: HTTPConnection) async throws -> String {
        feed.update { $0.tokens.count > 1 ? $0.tokens.removeFirst() : $0.tokens[0] }
    }

    func waitForChanges(path: ProviderPath, since token: String, over connection: HTTPConnection) async throws -> Bool {
        feed.value.waits
    }

    func changes(path: ProviderPath, since token: String, over connection: HTTPConnection) async throws
        -> HTTPChangesPage?
    {
        feed.update { feed in
            feed.asked.append(token)
            return feed.pages.count > 1 ? feed.pages.removeFirst() : feed.pages[0]
        }
    }
}

extension AbleService: HTTPInformationService {
    func providesThumbnail(path: ProviderPath) -> Bool { true }

    func thumbnail(path: ProviderPath, dimension: Int, over connection: HTTPConnection) async throws -> Thumbnail {
        thumbnail
    }
}

extension AbleService: HTTPAttributesService {
    func setAttributes(
        of item: FileObject, permissions: UInt16?, modificationDate: Date?, over connection: HTTPConnection
    ) async throws {
        if misreads { _ = try JSONDecoder().decode([String: Int].self, from: Data("<html>".utf8)) }
        attributesSet.append((item.path, permissions, modificationDate))
    }
}

extension AbleService: HTTPChecksumService {
    func checksum(of item: FileObject, kind: String, over connection: HTTPConnection) async throws -> String { hash }
}

extension AbleService: HTTPSharingService {
    func publicLink(to path: ProviderPath, over connection: HTTPConnection) async throws -> PublicLink {
        PublicLink(url: connection.url(of: path))
    }
}
