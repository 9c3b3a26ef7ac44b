public import FileProviderCore
import Foundation

/// An exclusive lock that this provider holds on one item (RFC 4918, section 6): no other client may change it.
///
/// The provider's own changes there carry the lock's token. The lock is refreshed in the background, at half of its
/// time, until it is released or deallocated. If the process dies, it stays for ``timeout`` at most.
public final class WebDAVLock: Sendable {
    /// The path of the locked item.
    public let path: ProviderPath
    /// Seconds for which the server keeps the lock without a refresh.
    public let timeout: Double
    /// Whether locking a free name created the item, an empty file.
    public let madeFile: Bool
    let token: String
    private let provider: WebDAVFileProvider
    private let keeping = LockedValue<Task<Void, Never>?>(nil)
    private let loss = LockedValue<(any Error)?>(nil)
    private let wasGivenBack = LockedValue(false)

    init(path: ProviderPath, token: String, timeout: Double, madeFile: Bool, provider: WebDAVFileProvider) {
        self.path = path
        self.token = token
        self.timeout = timeout
        self.madeFile = madeFile
        self.provider = provider
    }

    deinit {
        keeping.value?.cancel()
        provider.locks.remove(path, token: token)
    }

    /// The reason for which the lock was lost; nil while it is held, as far as is known.
    public var lossError: (any Error)? { loss.value }

    /// Refreshes the lock: the server restarts its time.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` if the server no longer has the lock: it was broken, or its time was
    ///   up.
    /// - Complexity: One `LOCK`.
    public func refresh() async throws {
        do { try await provider.refresh(token, at: path, timeout: timeout) } catch {
            if !error.isTransient, !error.isCancellation {
                loss.update { $0 = $0 ?? error }
                provider.locks.remove(path, token: token)
            }
            throw error
        }
    }

    /// Releases the lock. A lock that the server no longer knows counts as released.
    ///
    /// - Complexity: One `UNLOCK`.
    public func unlock() async throws {
        keeping.value?.cancel()
        wasGivenBack.update { $0 = true }
        defer { provider.locks.remove(path, token: token) }
        try await provider.unlock(token, at: path)
    }

    /// Whether that was tried.
    var isGivenBack: Bool { wasGivenBack.value }

    /// Refreshes at half time, and after a failure that passes again at an eighth of it, until the lock is given back,
    /// let go of or lost.
    func keepAlive() {
        let pause = max(0.5, timeout / 2)
        let task = Task { [weak self] in
            var isLate = false
            while !Task.isCancelled {
                do { try await Task.sleep(for: .seconds(isLate ? pause / 4 : pause)) } catch { return }
                guard let self, self.loss.value == nil else { return }
                // A passing failure is tried again well before the other half is over; any other is kept in
                // `lossError`.
                do {
                    try await self.refresh()
                    isLate = false
                } catch { isLate = true }
            }
        }
        keeping.update { $0 = task }
    }
}

/// The locks of one provider, by path.
final class HeldLocks: Sendable {
    private let tokens = LockedValue<[ProviderPath: String]>([:])

    func add(_ path: ProviderPath, token: String) { tokens.update { $0[path] = token } }

    func remove(_ path: ProviderPath, token: String) { tokens.update { if $0[path] == token { $0[path] = nil } } }

    /// Forgets the locks on what is gone: they went with it (RFC 4918, section 6.1).
    func forget(_ path: ProviderPath) { for held in touched(by: path) { remove(held.path, token: held.token) } }

    func holds(_ path: ProviderPath) -> Bool { tokens.value[path] != nil }

    /// Returns the locks that a change at `path` affects: its own, and those on items below it.
    func touched(by path: ProviderPath) -> [(path: ProviderPath, token: String)] {
        let tokens = tokens.value
        if tokens.isEmpty { return [] }
        return tokens.filter { $0.key == path || $0.key.isBelow(path) }.map { ($0.key, $0.value) }
    }
}
