public import FileProviderCore
public import Foundation

/// A provider over HTTP: the common part of all services, around the requests and answers of `Service`.
///
/// An ``HTTPService`` of about eight functions becomes a provider that lists in pages, reads ranges and continues after a
/// broken connection, writes from any source, logs in, retries, and throws Foundation's errors.
public final class HTTPFileProvider<Service: HTTPService>: FileProviderBasicRemote, FileProviderOperations,
    FileProviderReadWrite
{
    /// The type of the service.
    public static var type: String { Service.type }

    /// The service that this provider was made with.
    public let service: Service
    /// The connection to the server, for requests outside the protocols of a provider.
    public let connection: HTTPConnection
    let cache: ListingCache
    private let learnt = LockedValue<Capabilities?>(nil)
    let folders = LockedValue(FolderMemory())

    /// Creates a provider of the files at and below `url`. Sends nothing.
    ///
    /// - Throws: `URLError(.badURL)` if `url` has no host, or another scheme than `http` and `https`.
    public convenience init(service: Service, url: URL, options: ConnectionOptions = ConnectionOptions()) throws {
        let connection = try HTTPConnection(
            url: url, options: options, signer: service.signer, ownOrigins: service.ownOrigins,
            serverError: { code, path, data in service.serverError(with: code, path: path, data: data) },
            provider: Service.type)
        self.init(service: service, connection: connection)
    }

    /// Creates a provider over an existing connection, with that connection's signer, origins and errors.
    public init(service: Service, connection: HTTPConnection) {
        self.service = service
        self.connection = connection
        cache = ListingCache(policy: connection.options.cache)
    }

    /// The root URL, without the query that goes with each request. Never nil.
    public var baseURL: URL? { connection.baseURL }

    /// The options of the connection. To change them, create a new provider.
    public var connectionOptions: ConnectionOptions { connection.options }

    /// Forgets the item at `path`, all items below it, and the listing of its folder; at the root, everything.
    public func dropCache(path: ProviderPath) {
        cache.drop(path)
        connection.drop(path)
    }

    /// Returns ``baseURL`` with the percent-encoded path after it, without a slash at the end. Sends nothing.
    public func url(of path: ProviderPath) -> URL { connection.url(of: path) }

    /// Returns the service's capabilities, without abilities whose protocol it lacks. Asks the service once.
    public func capabilities() async throws -> Capabilities {
        if let known = learnt.value { return known }
        var capabilities = try await service.capabilities(over: connection)
        if !(service is any HTTPSharingService) { capabilities[.publicLinks] = .unavailable }
        if !(service is any HTTPUploadingService) { capabilities[.resumingWrites] = .unavailable }
        if !(service is any HTTPChecksumService) { capabilities.hashKinds = [] }
        for ability in Capabilities.Ability.allCases where !ability.isOfServices {
            capabilities[ability] = .unavailable
        }
        if capabilities[.serverSideCopying] != .native {
            // A copy through this machine is moved to its place when it is whole, where anything can be moved.
            let isMoved = capabilities.has(.writing) && capabilities[.moving] == .native
            capabilities[.atomicFolderCopying] = isMoved ? .derived : .unavailable
        }
        learnt.update { [capabilities] in $0 = capabilities }
        return capabilities
    }

    /// Returns the attributes of an item: those of its folder's remembered listing, or from the service.
    public func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        if let known = cache.item(at: path) { return known }
        return try await look(at: path)
    }

    /// Lists a folder page by page, and requests each page after the one before was consumed.
    ///
    /// - Complexity: One request for each page, and one more for an empty listing, to check that the item is a folder.
    public func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        if let known = cache.contents(of: path) { return try await page(known) }
        let record = cache.record(of: path)
        try await list(path) { items in
            record.add(items)
            try await page(items)
        }
        record.keep()
    }

    /// Lists as things are now.
    private func list(_ path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        try await refuseUnheldName(path)
        let mayBeNone = LockedValue(true)
        let names = LockedValue(ListedNames())
        do {
            try await connection.paginated { token in
                try service.request(forContentsOf: path, token: token)
            } pageHandler: { data, head in
                let page = try connection.parsing(Service.self, path: path) {
                    try service.page(ofContentsOf: path, data: data, head: head)
                }
                if page.showsFolder { mayBeNone.update { $0 = false } }
                return names.update { $0.usable(page) }
            } page: { items in
                mayBeNone.update { $0 = false }
                try await page(items)
            }
        } catch let error where mayBeNone.value && !path.isRoot && error.isRefusal {
            // Servers have different words for a file that is asked for as a folder.
            let item = try? await look(at: path)
            if let item, !item.isDirectory { throw FileError.notADirectory(path, url: url(of: path)) }
            throw error
        }
        let unusable = names.value.unusable
        if !unusable.isEmpty { throw FileError.unusableNames(unusable, in: path, url: url(of: path)) }
        guard mayBeNone.value, !path.isRoot else { return }
        // Many services answer for a folder that is not there, or for a file, as for one without content.
        guard try await look(at: path).isDirectory else {
            throw FileError.notADirectory(path, url: url(of: path))
        }
    }

    /// Whether a folder has no content, as things are now.
    func isEmpty(_ folder: ProviderPath) async throws -> Bool {
        do {
            try await list(folder) { _ in throw FoundContent() }
            return true
        } catch let error where error is FoundContent || error.unusableNames != nil { return false }
    }

    /// Asks the server; remembered listings don't count.
    public func checkReachability() async throws {
        try await connection.reading(Service.self, path: .root) {
            try await service.checkReachability(over: connection)
        }
    }

    /// Returns the capacity that the service reports, or nil.
    public func storageProperties() async throws -> VolumeObject? {
        try await connection.reading(Service.self, path: .root) {
            try await service.storageProperties(over: connection)
        }
    }

    /// Cancels running operations, which throw `URLError(.cancelled)`, and closes the connections. Later operations
    /// open new ones.
    public func invalidate() {
        cancelOperations()
        connection.cancelAll()
    }
}

extension Capabilities.Ability {
    /// Whether this provider has a way to it.
    fileprivate var isOfServices: Bool {
        switch self {
        case .rangedReading, .suffixReading, .writing, .streamedWriting, .atomicReplacement, .exclusiveCreation,
            .conditionalWriting, .resumingWrites, .folderCreation, .removal, .recursiveRemoval, .moving,
            .serverSideCopying,
            .atomicFolderCopying, .settingModificationDate, .storageProperties, .entryTags, .treeTags, .publicLinks,
            .rawNames:
            true
        default: false
        }
    }
}

/// Ends a listing at its first item.
private struct FoundContent: Error {}
