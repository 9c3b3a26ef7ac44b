import FileProviderCore
import Foundation

extension FleetStates {
    /// Makes a working copy the state of its pair. Uploads nothing if the state is still the same.
    ///
    /// The file is uploaded under a new name; the commit is the queue's `publish`. If the queue refuses, the upload is
    /// removed. If the connection to the queue is lost, the call is repeated until the task is cancelled; the upload
    /// then stays, because the commit may have taken effect, and the next state's publication removes it.
    ///
    /// - Parameter copy: Closed, so that it is one file. It is in the cache afterwards.
    /// - Returns: Whether a file was uploaded.
    /// - Throws: An error of the upload, or of the queue; the former state then counts.
    func publish(_ copy: WorkingCopy, of lease: FleetLease, in queue: any FleetQueue) async throws -> Bool {
        let (size, checksum) = try await cache.measure(copy.file)
        if let name = lease.stateName.flatMap { FleetStateName($0) }, copy.isFromState, size == lease.stateSize,
            checksum == lease.stateChecksum
        {
            await keep(copy, as: name, size: size)
            return false
        }
        let name = FleetStateName(pair: lease.id, fence: lease.fence)
        let path = location.path.appending(try ProviderPath(name.description))
        try await upload(copy, to: path)
        try await commit(lease, name, path, size: size, checksum: checksum, in: queue)
        await keep(copy, as: name, size: size)
        await removeFormer(than: name)
        return true
    }

    private func upload(_ copy: WorkingCopy, to path: ProviderPath) async throws {
        let file = FileCopy(copy.file.path, of: try await cache.provider())
        let options = WriteOptions(overwrite: false)
        do { try await file.write(to: path, of: location.provider, options: options) } catch let error
            where error.isNoSuchFile
        {
            // Storages without folders, such as S3, never get here.
            guard let folder = path.parent else { throw error }
            try await location.provider.createFolderWithParents(path: folder)
            try await file.write(to: path, of: location.provider, options: options)
        }
    }

    private func commit(
        _ lease: FleetLease, _ name: FleetStateName, _ path: ProviderPath, size: Int64, checksum: String,
        in queue: any FleetQueue
    ) async throws {
        let pauses = RetryPolicy(firstPause: 0.2, longestPause: 2)
        var tries = 0
        while true {
            do {
                _ = try await queue.publish(lease, name: name.description, size: size, checksum: checksum)
                return
            } catch let error where error.isTransient {
                tries += 1
                try await Task.sleep(for: .seconds(pauses.pause(before: tries, after: error)))
            } catch {
                // Only a refusal is known to have had no effect; otherwise the row may name the upload.
                if tries == 0, (error as? CocoaError)?.code == .fileWriteNoPermission {
                    await withCancellationShield { [location] in
                        // The next publication removes what this one can't.
                        try? await location.provider.removeItem(path: path, recursive: false)
                    }
                }
                throw error
            }
        }
    }

    /// The state is published by now; without the cache, the next worker fetches it.
    private func keep(_ copy: WorkingCopy, as name: FleetStateName, size: Int64) async {
        do { try await cache.keep(copy.file, as: name, size: size) } catch { try? await cache.discard(copy.file) }
    }

    /// Removes the pair's earlier states and the uploads of workers that lost their leases. A failure does no harm: the
    /// next publication tries again.
    private func removeFormer(than name: FleetStateName) async {
        guard let folder = try? location.path.appending(ProviderPath("\(name.pair)")) else { return }
        let items = await location.provider.listing(path: folder).contents
        for item in items {
            // A later holder may have uploaded its state already.
            guard let other = FleetStateName("\(name.pair)/\(item.name)"), other.fence <= name.fence, other != name
            else {
                continue
            }
            try? await location.provider.removeItem(path: item.path, recursive: false)
        }
        // Parts that killed workers left.
        _ = try? await PartSweep().sweep(items.filter(PartSweep.isPart), of: location.provider)
    }
}

extension FleetStates.WorkingCopy {
    /// Whether the copy began as a published state.
    var isFromState: Bool {
        if case .new = origin { return false }
        return true
    }
}
