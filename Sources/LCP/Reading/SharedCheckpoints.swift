import Archives
import FileProviderCore
import Publication
import Synchronization

/// The checkpoints of a publication's deflated resources, which proxies to the same resource share. In memory only.
final class SharedCheckpoints: Sendable {
    /// The most resources whose checkpoints are kept: those that were read last.
    private static let most = 8

    private struct Key: Hashable {
        let href: String
        let version: ResourceValidator
    }

    private let kept = Mutex<[(key: Key, checkpoints: MemoryCheckpoints)]>([])

    /// Returns the checkpoints of `resource`. Those of one whose version has no tag are its own: it may have changed.
    ///
    /// - Throws: `CancellationError`.
    func of(_ resource: EncryptedResource) async throws -> MemoryCheckpoints {
        guard let version = try await version(of: resource), version.tag != nil else { return MemoryCheckpoints() }
        let key = Key(href: resource.link.href, version: version)
        return kept.withLock { kept in
            let index = kept.firstIndex { $0.key == key }
            let found = index.map { kept.remove(at: $0).checkpoints } ?? MemoryCheckpoints()
            kept.append((key, found))
            if kept.count > Self.most { kept.removeFirst() }
            return found
        }
    }

    /// Nil if the medium cannot be asked now; a cache may have the bytes all the same.
    private func version(of resource: EncryptedResource) async throws -> ResourceValidator? {
        do {
            return try await resource.validator()
        } catch let error where !error.isCancellation {
            return nil
        }
    }
}
