import FileProviderCore
import Foundation
import ReaderMessages

extension DriverSession {
    /// The books on the device, from the list that the application publishes.
    ///
    /// - Throws: ``DriverError``: damagedLibrary for a list that cannot be read (the one before it stays for
    ///   ``RefreshPolicy/never``), incompatiblePeer for an application that publishes none; what the storage throws.
    /// - Complexity: One look at the file where the list is still the same; else the whole of it is fetched.
    public func books(refresh: RefreshPolicy = .ifChanged, progress: @escaping DriverProgress = { _ in }) async throws
        -> BookList
    {
        try await inTurn { try await self.currentBooks(refresh: refresh, progress: progress) }
    }

    /// As ``books(refresh:progress:)``, for those whose turn it is.
    func currentBooks(refresh: RefreshPolicy, progress: @escaping DriverProgress = { _ in }) async throws -> BookList {
        if refresh == .never, let list = snapshot.list { return list }
        let info = try await applicationInfo()
        guard let name = info.snapshot, let reader = context.snapshotReader else {
            throw DriverError(.incompatiblePeer, sentence: "The books of this reader application cannot be listed.")
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
                    .pathRejected, sentence: "The list of books “\(LogText.shown(path.string))” is no regular file.")
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
            // Its version was looked at before: a list that is published meanwhile is fetched once more next time, no
            // less.
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

    /// Has a command carried out; the list of books counts as another afterwards, whatever came of it.
    func command(
        _ command: ReaderCommand, info: ApplicationInfo, progress: @escaping DriverProgress = { _ in }
    ) async throws -> [StatusMessage] {
        snapshot.outdate()
        let (tidied, messages) = command.tidied()
        return try await exchange.run(
            tidied, cancels: info.capabilities.contains(ConnectedMessage.Capability.cancelling), progress: progress)
            + messages
    }

    /// The application that is there, with the list of books read anew where the last command left it uncertain.
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

    /// Notes that the list cannot be read, for the next report; a command is possible all the same, and has the
    /// application publish the list anew.
    /// - Throws: `error` where it is not about the list alone.
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

    /// What is to be told of the list since this was asked last.
    func takeListWarning() -> [String] {
        defer { listWarning = nil }
        return listWarning.map { [$0] } ?? []
    }
}
