public import FileProviderCore
public import Foundation

/// A provider over HTTP: what every service has in common, around what `Service` does in its own way.
///
/// Third parties write an ``HTTPService`` of about eight functions, and have a provider that lists in pages, reads by
/// ranges that go on after a broken connection, writes from any source, logs in, tries again, and speaks with
/// Foundation's errors.
public final class HTTPFileProvider<Service: HTTPService>: FileProviderBasicRemote, FileProviderOperations,
    FileProviderReadWrite
{
    /// The service's.
    public static var type: String { Service.type }

    /// As given.
    public let service: Service
    /// The way to the server, for what a service does beside the protocols of a provider.
    public let connection: HTTPConnection
    let cache: ListingCache
    private let learnt = LockedValue<Capabilities?>(nil)
    let folders = LockedValue(FolderMemory())

    /// A provider of the files at and below `url`. Nothing is sent.
    ///
    /// - Throws: `URLError(.badURL)` when there is no host in `url`, or another scheme than `http` and `https`.
    public convenience init(service: Service, url: URL, options: ConnectionOptions = ConnectionOptions()) throws {
        let connection = try HTTPConnection(
            url: url, options: options, signer: service.signer, ownOrigins: service.ownOrigins,
            serverError: { code, path, data in service.serverError(with: code, path: path, data: data) },
            provider: Service.type)
        self.init(service: service, connection: connection)
    }

    /// A provider over a connection that is there already, with the connection's own signer, origins and errors.
    public init(service: Service, connection: HTTPConnection) {
        self.service = service
        self.connection = connection
        cache = ListingCache(policy: connection.options.cache)
    }

    /// Never nil, and without the query that goes with each request.
    public var baseURL: URL? { connection.baseURL }

    /// Those of the connection; changing them takes a new provider.
    public var connectionOptions: ConnectionOptions { connection.options }

    /// Forgets `path`, what lies below it, and the listing of the folder it is in; at the root, everything.
    public func dropCache(path: ProviderPath) {
        cache.drop(path)
        connection.drop(path)
    }

    /// ``baseURL`` with the percent-encoded path behind it, without a slash at the end. Nothing is sent.
    public func url(of path: ProviderPath) -> URL { connection.url(of: path) }

    /// What the service says, asked for once, without what it has no protocol for.
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

    /// What a listing of its folder told while that is remembered, else what the service finds.
    public func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        if let known = cache.item(at: path) { return known }
        return try await look(at: path)
    }

    /// Lists page by page, each asked for when the one before was used up.
    ///
    /// - Complexity: One request for each page; another one for a listing without items, to see whether it is of a
    ///   folder.
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

    /// Asks the server: what is remembered is no answer.
    public func checkReachability() async throws {
        try await connection.reading(Service.self, path: .root) {
            try await service.checkReachability(over: connection)
        }
    }

    /// What the service tells, or nil.
    public func storageProperties() async throws -> VolumeObject? {
        try await connection.reading(Service.self, path: .root) {
            try await service.storageProperties(over: connection)
        }
    }

    /// Ends what runs: it throws `URLError(.cancelled)`. Connections are closed; operations after it start anew.
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
