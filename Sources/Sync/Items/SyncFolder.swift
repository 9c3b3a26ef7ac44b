public import FileProviderCore
import Foundation

/// One of the two folders that are kept in step.
public enum SyncSide: Int, Sendable, Hashable, Codable, CaseIterable {
    /// The side that a mirror copies from; in two-way sync, the side that keeps its name in a conflict.
    case source = 0
    /// The side that a mirror changes.
    case destination = 1

    /// The opposite side.
    public var other: SyncSide { self == .source ? .destination : .source }
}

/// A folder of any provider, as one side of a sync.
public struct SyncFolder: Sendable {
    /// The provider that stores the folder.
    public let provider: any FileProvider
    /// The folder's path, relative to the provider's root.
    public let path: ProviderPath
    /// The label in the names of this side's conflict copies: `report (conflict 2026-11-23 02.45.10 LABEL).txt`.
    public let label: String
    /// The user who logs in, or `nil` if the URL alone identifies the folder.
    public let user: String?

    /// - Parameters:
    ///   - label: A few words. Characters that a file name may not contain are removed; at most 40 are kept.
    ///   - user: The user who logs in, if known: at one URL, two users may see two folders.
    public init(_ location: ProviderLocation, label: String, user: String? = nil) {
        self.user = user
        provider = location.provider
        path = location.path
        let kept = label.unicodeScalars.filter {
            $0.value >= 0x20 && $0.value != 0x7F && !"/\\:*?\"<>|".unicodeScalars.contains($0)
        }
        self.label = String(String.UnicodeScalarView(kept.prefix(40)))
    }

    private init(_ folder: SyncFolder, provider: any FileProvider) {
        (self.provider, path, label, user) = (provider, folder.path, folder.label, folder.user)
    }

    /// Both folders, on providers confined to them if they support that: no link leads out, even one that another
    /// program made.
    static func confined(_ source: SyncFolder, _ destination: SyncFolder) -> Sides<SyncFolder> {
        if source.provider === destination.provider {
            let provider = confine(source.provider, to: [source.path, destination.path])
            return Sides(SyncFolder(source, provider: provider), SyncFolder(destination, provider: provider))
        }
        let sides = [source, destination].map { SyncFolder($0, provider: confine($0.provider, to: [$0.path])) }
        return Sides(sides[0], sides[1])
    }

    private static func confine(_ provider: any FileProvider, to folders: [ProviderPath]) -> any FileProvider {
        guard let confining = provider as? any FileProviderConfining, !folders.contains(.root) else { return provider }
        return confining.confined(to: folders)
    }

    /// The folder's URL without secrets, for logs and messages.
    public var name: String { provider.url(of: path).withoutSecrets.absoluteString }

    /// Returns the key that identifies the folder in the state: its URL and its user. A folder on this machine's disks
    /// is identified by its real location, with symbolic links resolved.
    public func key() async throws -> String { try await BlockingThreads.shared.run { placeKey } }

    /// As ``key()``. Blocks.
    var placeKey: String {
        var url = provider.url(of: path)
        // A path that is not UTF-8 can't be split and rebuilt as a URL.
        if url.isFileURL, URL(fileURLWithPath: url.path).pathComponents == url.pathComponents, !url.path.isEmpty {
            let address = Self.address(of: url)
            url = URL(
                fileURLWithPath: "/" + address.dropFirst().joined(separator: "/"), isDirectory: url.hasDirectoryPath)
        }
        return [url.withoutSecrets.absoluteString, user].compactMap { $0 }.joined(separator: " ")
    }

    /// Whether the two folders are the same, or one is inside the other, as far as providers and URLs tell.
    func overlaps(_ other: SyncFolder) -> Bool {
        if provider === other.provider, path == other.path || path.isBelow(other.path) || other.path.isBelow(path) {
            return true
        }
        let (one, two) = (provider.url(of: path), other.provider.url(of: other.path))
        // Without a host, and not on a disk, each provider instance is a separate storage.
        if provider === other.provider, !one.isFileURL { return false }
        guard one.scheme == two.scheme, one.host() == two.host(), one.port == two.port,
            one.isFileURL || one.host() != nil
        else {
            return false
        }
        // Two users of one server see different folders; over SFTP only below `/~`.
        if let user, let otherUser = other.user, user != otherUser, one.scheme != "sftp" || one.path.hasPrefix("/~") {
            return false
        }
        let (first, second) = (Self.address(of: one), Self.address(of: two))
        return first.starts(with: second) || second.starts(with: first)
    }

    /// The names of the folders down to `url`. For a file URL, resolves the symbolic links in the part that exists, and
    /// blocks.
    static func address(of url: URL) -> [String] {
        guard url.isFileURL else { return url.pathComponents }
        var (there, missing) = (url.standardizedFileURL, [String]())
        while there.pathComponents.count > 1, !FileManager.default.fileExists(atPath: there.path) {
            missing.insert(there.lastPathComponent, at: 0)
            there.deleteLastPathComponent()
        }
        return there.resolvingSymlinksInPath().pathComponents + missing
    }

    /// Whether every folder on the way from this one to `path` lists the next name in this very case.
    func lists(_ path: ProviderPath) async throws -> Bool {
        guard path != self.path, let parent = path.parent else { return true }
        guard try await lists(parent) else { return false }
        return try await provider.contentsOfDirectory(path: parent).contains { $0.path == path }
    }

    /// Checks that the item at `relative` is still the version that the plan was made for.
    ///
    /// - Parameter precision: The step of the storage's times, in seconds.
    /// - Throws: ``ChangedMeanwhile`` if it is not.
    @discardableResult
    func check(_ relative: ProviderPath, is expected: SyncItem, precision: Double) async throws -> FileObject {
        let path = path(of: relative)
        forgetAnswers(below: path)
        do {
            let object = try await provider.attributesOfItem(path: path)
            if let now = SyncItem(object), now.isAlike(expected, precision: precision, byTag: true) { return object }
        } catch let error where error.isNoSuchFile {}
        throw ChangedMeanwhile(path: relative)
    }

    /// Drops cached answers about `path` and everything below it, so that the next request asks the storage.
    func forgetAnswers(below path: ProviderPath) {
        if let remote = provider as? any FileProviderBasicRemote, remote.useCache { remote.dropCache(path: path) }
    }

    /// Whether `error` says that it is about the item at `relative`, here rather than under the same path of another
    /// storage.
    func isNamed(by error: any Error, at relative: ProviderPath) -> Bool {
        let (info, path) = ((error as NSError).userInfo, path(of: relative))
        guard info[NSFilePathErrorKey] as? String == path.string else { return false }
        guard let url = info[NSURLErrorKey] as? URL else { return true }
        return url.absoluteString == provider.url(of: path).withoutSecrets.absoluteString
    }

    /// The item whose path, counted from the folder, is `relative`.
    func path(of relative: ProviderPath) -> ProviderPath { path.appending(relative) }
}

/// Something for each of the two sides.
struct Sides<Value> {
    var source: Value
    var destination: Value

    init(_ source: Value, _ destination: Value) {
        self.source = source
        self.destination = destination
    }

    subscript(side: SyncSide) -> Value {
        get { side == .source ? source : destination }
        set { if side == .source { source = newValue } else { destination = newValue } }
    }
}

extension Sides: Sendable where Value: Sendable {}
extension Sides: Equatable where Value: Equatable {}

extension SyncFolder {
    /// The listing's entry for the file at `path`, relative to this folder, or `nil` if it holds nothing to compare
    /// with.
    func listed(_ item: SyncItem, at path: ProviderPath) -> FileObject? {
        guard item.type == .regular, item.isListed, item.size != SyncItem.voidSize else { return nil }
        return FileObject(
            path: self.path(of: path), type: .regular, size: item.size, modifiedDate: item.date, entryTag: item.tag)
    }
}

/// An item has changed since the plan was made. The next pass looks at it again.
struct ChangedMeanwhile: LocalizedError {
    let path: ProviderPath
    /// Whether a step has written there before, which the storage may not have kept.
    var isAfterWrite = false
    var errorDescription: String? { "“\(path)” changed during the run. The next pass looks at it again." }
}
