public import FileProviderCore
public import Foundation

/// The states of a fleet's pairs, on any provider, and a cache of them on this machine's disk.
///
/// A state is a file `PAIR/FENCE-MARK.sqlite` below the location. It is never overwritten: a new state gets a new name,
/// and the row of the pair in PostgreSQL names the one that counts. So a worker that lost its lease may still upload a
/// file, but can't make it the pair's state. All workers of a fleet use the same location; workers on one machine may
/// share a cache.
public struct FleetStates: Sendable {
    /// The folder on the provider.
    public let location: ProviderLocation
    let cache: StateCache

    /// Creates the states of a fleet. Sends nothing yet.
    ///
    /// - Parameters:
    ///   - location: A folder, which is created if missing. Nothing else may be in it.
    ///   - cache: A folder of this machine, which is created if missing. It holds the working copies of the pairs in
    ///     work and, within `mostCached`, the states that were used last.
    ///   - mostCached: The most bytes of the states that are kept; the default is 1 GiB. Working copies come on top.
    public init(_ location: ProviderLocation, cache: URL, mostCached: Int64 = 1 << 30) {
        self.location = location
        self.cache = StateCache(cache, most: mostCached)
    }

    /// A state that a worker may change.
    struct WorkingCopy: Sendable {
        let file: StateCache.File
        var origin: Origin
    }

    /// The origin of a working copy.
    enum Origin: Sendable, Hashable {
        /// There was no state, or the pair starts again without one, for the reason in a sentence.
        case new(String?)
        /// This machine's cache.
        case cache
        /// The provider.
        case provider
    }

    /// Makes the cache's folders and removes what dead workers left there.
    ///
    /// - Throws: `CocoaError` if the folders can't be made.
    func open() async throws { try await cache.open() }

    /// Removes this process's working copies if no other worker uses the same states.
    func close() async throws { try await cache.close() }

    /// Returns a working copy of the pair's state. If the state is missing or damaged, returns one without a file: the
    /// next run then compares both folders again, and removes nothing.
    ///
    /// - Throws: An error of the connection to the provider, or of the disk.
    func workingCopy(for lease: FleetLease) async throws -> WorkingCopy {
        let file = try await cache.workingFile(pair: lease.id, fence: lease.fence)
        try await cache.discard(file)
        guard let text = lease.stateName else { return WorkingCopy(file: file, origin: .new(nil)) }
        guard let name = FleetStateName(text) else {
            return WorkingCopy(file: file, origin: .new("“\(text)” is not the name of a state."))
        }
        if try await cache.take(name, to: file) {
            if try await isWhole(file, lease) { return WorkingCopy(file: file, origin: .cache) }
            try await cache.discard(file)
        }
        do {
            let path = location.path.appending(try ProviderPath(name.description))
            try await FileCopy(path, of: location.provider).write(
                to: file.path, of: try await cache.provider(),
                options: WriteOptions(overwrite: true, permissions: 0o600))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return WorkingCopy(file: file, origin: .new("The state “\(name)” is missing."))
        } catch let error as CocoaError where error.code == .fileReadCorruptFile {
            return WorkingCopy(file: file, origin: .new("The state “\(name)” is damaged: \(error.loggedSentence)"))
        }
        if try await isWhole(file, lease) { return WorkingCopy(file: file, origin: .provider) }
        try await cache.discard(file)
        return WorkingCopy(file: file, origin: .new("The state “\(name)” is damaged: its checksum differs."))
    }

    private func isWhole(_ file: StateCache.File, _ lease: FleetLease) async throws -> Bool {
        let (size, checksum) = try await cache.measure(file)
        return (lease.stateSize ?? size) == size && (lease.stateChecksum ?? checksum) == checksum
    }

    /// Returns the working copy without its file.
    func without(_ copy: WorkingCopy, because reason: String) async throws -> WorkingCopy {
        try await cache.discard(copy.file)
        return WorkingCopy(file: copy.file, origin: .new(reason))
    }

    /// Throws the working copy for a lease away, if there is one.
    func discard(_ lease: FleetLease) async throws {
        try await cache.discard(try await cache.workingFile(pair: lease.id, fence: lease.fence))
    }
}
