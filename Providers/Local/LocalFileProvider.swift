public import FileProviderCore
public import Foundation

/// A folder of this machine, with everything below it.
///
/// The root folder is opened once and held: paths are resolved from that descriptor, so neither `..` nor a symbolic
/// link leads out of it, whatever other processes rename. Every call runs on
/// ``/FileProviderCore/BlockingThreads/shared``.
public final class LocalFileProvider: FileProviderBasic, FileProviderOperations, FileProviderReadWrite {
    /// `Local`.
    public static let type = "Local"

    /// The root as given, as a `file` URL that ends in a slash.
    public let baseURL: URL?
    let resolver: LocalResolver

    /// The registration for the scheme `file`, whose provider has the machine's `/` as its root.
    public static let registration = ProviderRegistration(type: type, schemes: ["file"], needsHost: false) { url, _ in
        if let host = url.host(percentEncoded: false), !["", "localhost"].contains(host.lowercased()) {
            throw FileError.make(
                .unsupportedURL, url: url,
                sentence: "“\(host)” is another machine; a file URL can only name a file on this one.")
        }
        let path = try ProviderPath(percentEncoded: url.path(percentEncoded: true))
        let root = URL(fileURLWithPath: "/", isDirectory: true)
        return ProviderLocation(provider: try LocalFileProvider(root: root), path: path)
    }

    /// Opens the folder at `root`, which may be reached through symbolic links.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ENOTDIR` below it if it is no
    ///   folder; `CocoaError(.fileReadUnsupportedScheme)` for a URL of another scheme.
    public convenience init(root: URL) throws {
        try self.init(configuration: LocalConfiguration(root: root))
    }

    /// Opens the folder that `configuration` names.
    ///
    /// - Throws: As ``init(root:)``.
    public convenience init(configuration: LocalConfiguration) throws {
        try self.init(configuration: configuration, calls: .all)
    }

    /// Opens a folder, using only the optional system calls in `calls`.
    package init(configuration: LocalConfiguration, calls: KernelCalls) throws {
        let path = try ProviderPath(configuration.root)
        let base = "file:///" + path.percentEncoded + (path.isRoot ? "" : "/")
        let context = LocalContext(path: path, base: "file:///", writing: false)
        let raw = (Array("/".utf8) + path.bytes).withName { Glibc.open($0, LocalFlags.folder) }
        let root = FileDescriptor(owning: try context.check(raw))
        baseURL = URL(string: base)
        resolver = LocalResolver(root: root, isWholeMachine: path.isRoot, calls: calls)
    }

    /// Returns the same folder, whose operations do without `calls`.
    init(_ other: LocalFileProvider, without calls: KernelCalls) {
        baseURL = other.baseURL
        var resolver = other.resolver
        resolver.calls.subtract(calls)
        self.resolver = resolver
    }

    /// Returns the same folder, limited to `folders`.
    init(_ other: LocalFileProvider, confinedTo folders: [ProviderPath]) {
        baseURL = other.baseURL
        resolver = other.resolver.confined(to: folders)
    }

    /// Returns the context for errors of an operation on `path`.
    func context(_ path: ProviderPath, writing: Bool) -> LocalContext {
        LocalContext(path: path, base: baseURL?.absoluteString ?? "file:///", writing: writing)
    }

    /// Returns the capabilities of Linux file systems in general; a mounted one may have fewer (FAT: no links, coarse
    /// times).
    ///
    /// - Complexity: No system call.
    public func capabilities() async throws -> Capabilities {
        Capabilities(
            [
                .rangedReading: .native, .suffixReading: .native, .writing: .native, .streamedWriting: .native,
                .atomicReplacement: .native, .exclusiveCreation: .native, .conditionalWriting: .derived,
                .resumingWrites: .native,
                .folderCreation: .native,
                .removal: .native, .recursiveRemoval: .derived, .moving: .native, .serverSideCopying: .native,
                .atomicFolderCopying: .native, .appending: .native, .settingPermissions: .native,
                .extendedAttributes: .native,
                .settingModificationDate: .native, .storageProperties: .native, .entryTags: .native,
                .symbolicLinks: .native,
                .rawNames: .native,
            ],
            readCost: .local, timePrecision: 1e-9, longestName: 255, concurrentTransfers: nil)
    }

    /// Returns the attributes from statx(2). ``/FileProviderCore/FileObject/entryTag`` of a file is made of inode, size
    /// and modification time; ``/FileProviderCore/FileObject/identity`` of inode and time of creation. On FAT, exFAT
    /// and over FUSE, whose inode numbers do not last, the tag leaves out the inode and there is no identity.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadNoPermission)` if a link on the way leads out
    ///   of the root.
    public func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        try await BlockingThreads.shared.run { [self] _ in
            let context = context(path, writing: false)
            if path.isRoot { return try ItemStatus(of: resolver.root, context).object(at: path) }
            let entry = try resolver.entry(of: path, context)
            guard let status = try entry.status(context) else { throw context.error(ENOENT) }
            return try entry.object(at: path, status, context)
        }
    }

    /// Lists with getdents64(2) and statx(2), 1,000 items at a time. Leaves out items that vanish between the two
    /// calls.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ENOTDIR` below it if `path` is
    ///   no folder.
    /// - Complexity: One system call for each item, two for a symbolic link; holds one page.
    public func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        let context = context(path, writing: false)
        let listing = try await BlockingThreads.shared.run { [self] _ in
            try FolderListing(of: resolver.folder(at: path, context), context: context)
        }
        while true {
            let items = try await BlockingThreads.shared.run { flag in try listing.page(of: path, limit: 1000, flag) }
            if items.isEmpty { return }
            try await page(items)
        }
    }
}
