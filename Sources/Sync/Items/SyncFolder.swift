public import FileProviderCore
import Foundation

/// One of the two folders that are kept in step.
public enum SyncSide: Int, Sendable, Hashable, Codable, CaseIterable {
    /// The side that a mirror follows; in two-way sync, the one that keeps its name in a conflict.
    case source = 0
    /// The side that a mirror changes.
    case destination = 1

    /// The opposite side.
    public var other: SyncSide { self == .source ? .destination : .source }
}

/// A folder of any provider, as one side of a sync.
public struct SyncFolder: Sendable {
    /// Where the folder lies.
    public let provider: any FileProvider
    /// The folder, counted from the provider's root.
    public let path: ProviderPath
    /// What conflict copies from this side are called after: `report (conflict 2026-11-23 02.45.10 LABEL).txt`.
    public let label: String
    /// Who logs in; nil where the URL alone says which folder it is.
    public let user: String?

    /// - Parameters:
    ///   - label: A few words without `/`; what no name may hold is left out.
    ///   - user: Who logs in, where that is known: at one URL, two users may see two folders.
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

    /// Both folders by providers that keep to them, as far as there are such: no link leads out, whoever put it there.
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

    /// What the state knows the folder by: its URL and its user. A folder on this machine's disks is known by where it
    /// is, whatever symbolic links lead there.
    public func key() async throws -> String { try await BlockingThreads.shared.run { placeKey } }

    /// As ``key()``. Blocks.
    var placeKey: String {
        var url = provider.url(of: path)
        // What is not UTF-8 has no form of a URL that could be taken apart and put together again.
        if url.isFileURL, URL(fileURLWithPath: url.path).pathComponents == url.pathComponents, !url.path.isEmpty {
            let address = Self.address(of: url)
            url = URL(
                fileURLWithPath: "/" + address.dropFirst().joined(separator: "/"), isDirectory: url.hasDirectoryPath)
        }
        return [url.withoutSecrets.absoluteString, user].compactMap { $0 }.joined(separator: " ")
    }

    /// Whether one of both is or lies in the other, as far as provider and URL tell.
    func overlaps(_ other: SyncFolder) -> Bool {
        if provider === other.provider, path == other.path || path.isBelow(other.path) || other.path.isBelow(path) {
            return true
        }
        let (one, two) = (provider.url(of: path), other.provider.url(of: other.path))
        // Without a host, and on no disk, every provider is a world of its own.
        if provider === other.provider, !one.isFileURL { return false }
        guard one.scheme == two.scheme, one.host() == two.host(), one.port == two.port,
            one.isFileURL || one.host() != nil
        else {
            return false
        }
        // Two users of one server have folders of their own; over SFTP below `/~` only.
        if let user, let otherUser = other.user, user != otherUser, one.scheme != "sftp" || one.path.hasPrefix("/~") {
            return false
        }
        let (first, second) = (Self.address(of: one), Self.address(of: two))
        return first.starts(with: second) || second.starts(with: first)
    }

    /// Names of the folders down to `url`; on this machine's disks without the symbolic links on the way, as far as it
    /// is there. Blocks then.
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

    /// Looks whether the item at `relative` is still the version that a plan was made for.
    ///
    /// - Parameter precision: The step of the storage's times, in seconds.
    /// - Throws: ``ChangedMeanwhile`` where it is not.
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

    /// Has the storage asked anew about what lies at and below `path`, whatever the provider is told to remember.
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
    /// What the listing said about the file at `path`, counted from this folder; nil if nothing of use to compare with.
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
    var errorDescription: String? { "“\(path)” changed meanwhile; it is looked at again." }
}
