import FileProviderCore
import Foundation
import ReaderMessages

extension DriverSession {
    /// Returns the books on the device, from the list that the application publishes.
    ///
    /// - Throws: ``DriverError``: damagedLibrary if the list can't be read (the previous list stays available with
    ///   ``RefreshPolicy/never``), incompatiblePeer if the application publishes none; errors of the storage.
    /// - Complexity: One look at the file if the list is unchanged; else the whole list is fetched.
    public func books(refresh: RefreshPolicy = .ifChanged, progress: @escaping DriverProgress = { _ in }) async throws
        -> BookList
    {
        try await inTurn { try await self.currentBooks(refresh: refresh, progress: progress) }
    }

    /// Does what ``books(refresh:progress:)`` does, for callers inside ``inTurn(_:)``.
    func currentBooks(refresh: RefreshPolicy, progress: @escaping DriverProgress = { _ in }) async throws -> BookList {
        if refresh == .never, let list = snapshot.list { return list }
        let info = try await applicationInfo()
        guard let name = info.snapshot, let reader = context.snapshotReader else {
            throw DriverError(.incompatiblePeer, sentence: "This reader application does not list its books.")
        }
        let path = try path(of: name, below: staging.path)
        let file = try await snapshotFile(path)
        let looked = context.time.elapsed
        let version = SnapshotCache.Version(file)
        if refresh == .ifChanged, let list = snapshot.list, snapshot.holds(version) {
            progress(1)
            return list
        }
        let list = BookList(try await fetch(file, with: reader, progress: progress))
        snapshot.put(list, version: version, now: looked)
        await exchange.didResync()
        progress(1)
        return list
    }

    private func snapshotFile(_ path: ProviderPath) async throws -> FileObject {
        let provider = staging.provider
        do {
            let file = try await folder.calls.run("looking for the list of books") {
                try await provider.attributesOfItem(path: path)
            }
            guard file.isRegularFile else {
                throw DriverError(
                    .pathRejected, sentence: "The list of books “\(LogText.shown(path.string))” is not a regular file.")
            }
            return file
        } catch let error where error.isNoSuchFile {
            throw DriverError(
                .incompatiblePeer, sentence: "The reader application has not published its list of books.",
                underlying: error)
        }
    }

    private func fetch(
        _ file: FileObject, with reader: any LibrarySnapshotReader, progress: @escaping DriverProgress
    ) async throws -> [LibraryBook] {
        let local = context.temporaryFolder.appending(path: "carrel-list-\(UUID().uuidString).sqlite")
        let transfer = Transfer(provider: staging.provider, calls: folder.calls, limit: options.maxSnapshotSize)
        do {
            // The version was read before the fetch, so a list published meanwhile is at worst fetched once more.
            try await transfer.fetch(file.path, to: local, progress: progress)
            let books = try await reader.books(in: local)
            await discard(local)
            return books
        } catch let error as CocoaError where error.code == .fileReadCorruptFile {
            await discard(local)
            throw DriverError(.damagedLibrary, underlying: error)
        } catch {
            await discard(local)
            throw error
        }
    }

    private func discard(_ local: URL) async {
        do {
            // A disk that hangs must not hold up the session.
            try await folder.calls.run("removing a temporary file") {
                try await BlockingThreads.shared.run {
                    for suffix in ["", "-wal", "-shm", "-journal"] {
                        let path = local.path + suffix
                        if FileManager.default.fileExists(atPath: path) {
                            try FileManager.default.removeItem(atPath: path)
                        }
                    }
                }
            }
        } catch {
            trace.note("A temporary file cannot be removed", error)
        }
    }

    /// Sends a command. Afterwards the list of books counts as outdated, whatever the result.
    func command(
        _ command: ReaderCommand, info: ApplicationInfo, progress: @escaping DriverProgress = { _ in }
    ) async throws -> [StatusMessage] {
        snapshot.outdate()
        let (tidied, messages) = command.tidied()
        return try await exchange.run(
            tidied, cancels: info.capabilities.contains(ConnectedMessage.Capability.cancelling), progress: progress)
            + messages
    }

    /// Returns the application that is there, after reading the list of books again if the last command left it
    /// uncertain.
    func readyForCommand() async throws -> ApplicationInfo {
        let info = try await applicationInfo()
        await exchange.resume()
        if await exchange.needsResync, info.snapshot != nil, context.snapshotReader != nil {
            do { _ = try await currentBooks(refresh: .always) } catch {
                try await goOnWithoutList(error)
            }
        }
        return info
    }

    /// Records for the next report that the list can't be read. A command is still possible, and makes the application
    /// publish the list again.
    /// - Throws: `error` if it is not about the list alone.
    func goOnWithoutList(_ error: any Error) async throws {
        if error.isCancellation || error.isTransient { throw error }
        switch (error as? DriverError)?.kind {
        case .notConnected, .offline, .ejected, .connectionLost, .cancelled: throw error
        default: break
        }
        trace.note("The list of books cannot be read", error)
        await exchange.didResync()
        listWarning = "The list of books on the device could not be read: \(LogText.shown(error.sentence, limit: 500))"
    }

    /// Returns the warning about the list, and clears it.
    func takeListWarning() -> [String] {
        defer { listWarning = nil }
        return listWarning.map { [$0] } ?? []
    }
}
