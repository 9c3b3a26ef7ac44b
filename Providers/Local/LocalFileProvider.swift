public import FileProviderCore
public import Foundation

/// A folder of this machine, and what lies below it.
///
/// The root folder is opened once and held: paths are resolved from that descriptor, so that neither `..` nor a
/// symbolic link leads out of it, whatever other processes rename meanwhile. Every call runs on
/// ``BlockingThreads/shared``.
public final class LocalFileProvider: FileProviderBasic, FileProviderOperations, FileProviderReadWrite {
    /// `Local`.
    public static let type = "Local"

    /// The root as it was given, as a `file` URL that ends in a slash.
    public let baseURL: URL?
    let resolver: LocalResolver

    /// Enters the scheme `file`, whose provider has the machine's `/` as its root.
    public static let registration = ProviderRegistration(type: type, schemes: ["file"], needsHost: false) { url, _ in
        if let host = url.host(percentEncoded: false), !["", "localhost"].contains(host.lowercased()) {
            throw FileError.make(
                .unsupportedURL, url: url,
                sentence: "“\(host)” is another machine; a file URL names a file of this one.")
        }
        let path = try ProviderPath(percentEncoded: url.path(percentEncoded: true))
        let root = URL(fileURLWithPath: "/", isDirectory: true)
        return ProviderLocation(provider: try LocalFileProvider(root: root), path: path)
    }

    /// Opens the folder at `root`, which may be reached through symbolic links.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ENOTDIR` below it when it is
    ///   no folder; `CocoaError(.fileReadUnsupportedScheme)` for a URL of another scheme.
    public convenience init(root: URL) throws {
        try self.init(configuration: LocalConfiguration(root: root))
    }

    /// Opens the folder that `configuration` names.
    ///
    /// - Throws: As ``init(root:)``.
    public convenience init(configuration: LocalConfiguration) throws {
        try self.init(configuration: configuration, calls: .all)
    }

    /// Opens a folder, and does without the system calls that are not in `calls`.
    package init(configuration: LocalConfiguration, calls: KernelCalls) throws {
        let path = try ProviderPath(configuration.root)
        let base = "file:///" + path.percentEncoded + (path.isRoot ? "" : "/")
        let context = LocalContext(path: path, base: "file:///", writing: false)
        let raw = (Array("/".utf8) + path.bytes).withName { Glibc.open($0, LocalFlags.folder) }
        let root = FileDescriptor(owning: try context.check(raw))
        baseURL = URL(string: base)
        resolver = LocalResolver(root: root, isWholeMachine: path.isRoot, calls: calls)
    }

    /// The same folder; what is done there does without `calls`.
    init(_ other: LocalFileProvider, without calls: KernelCalls) {
        baseURL = other.baseURL
        var resolver = other.resolver
        resolver.calls.subtract(calls)
        self.resolver = resolver
    }

    /// The same folder, as far as it is in `folders`.
    init(_ other: LocalFileProvider, confinedTo folders: [ProviderPath]) {
        baseURL = other.baseURL
        resolver = other.resolver.confined(to: folders)
    }

    /// The errors of an operation on `path`.
    func context(_ path: ProviderPath, writing: Bool) -> LocalContext {
        LocalContext(path: path, base: baseURL?.absoluteString ?? "file:///", writing: writing)
    }

    /// What holds for Linux file systems in general; one that is mounted here may do less (FAT: no links, coarse
    /// times).
    ///
    /// - Complexity: Nothing is asked.
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

    /// What statx(2) says. ``FileObject/entryTag`` of a file is made of inode, size and modification time;
    /// ``FileObject/identity`` of inode and time of birth. On FAT, exFAT and over FUSE, where inodes have no lasting
    /// numbers, the tag goes without and there is no identity.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadNoPermission)` when a link on the way leads
    ///   out of the root.
    public func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        try await BlockingThreads.shared.run { [self] _ in
            let context = context(path, writing: false)
            if path.isRoot { return try ItemStatus(of: resolver.root, context).object(at: path) }
            let entry = try resolver.entry(of: path, context)
            guard let status = try entry.status(context) else { throw context.error(ENOENT) }
            return try entry.object(at: path, status, context)
        }
    }

    /// Lists with getdents64(2) and statx(2), 1,000 items at a time. What vanishes between the two is left out.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ENOTDIR` below it when `path`
    ///   is no folder.
    /// - Complexity: One system call for each item, two for a symbolic link; one page is held.
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
