import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// Writing by a temporary name.
extension WebDAVFileProvider {
    /// Sends a `PUT` to a temporary name in the same folder, then one `MOVE`.
    ///
    /// - Parameter found: The existing item, if the write is large and was therefore looked at before.
    func publish(_ write: FileWrite, replacing found: FileObject?) async throws -> FileObject {
        // A version to replace without `overwrite` is a contradiction: this refuses in the right words.
        if write.options.ifMatch != nil, !write.options.overwrite { try await refuse(write) }
        let temporary = try TemporaryName.make(beside: write.path)
        // The name is taken while the bytes are under way; a large file would hold it for too long. The task is
        // never cancelled, because a lock whose token was lost could not be released.
        let taking = write.options.overwrite || write.isLarge ? nil : lockTask(for: write)
        let hasArrived = LockedValue(false)
        do {
            // Whether there is a folder in the way.
            let looks = write.options.overwrite && write.options.ifMatch == nil && !write.isLarge
            let replaced = looks ? try await itemIfSeen(write.path) : found
            let head = try await upload(write, to: temporary, headers: [])
            hasArrived.update { $0 = true }
            try Task.checkCancellation()
            let part = try await verified(write, at: temporary, head)
            try Task.checkCancellation()
            // Publishing runs in a separate task, so that a cancellation cannot leave it half done.
            return try await withCancellationShield {
                try await self.movePart(part, write, replacing: replaced, head, taking)
            }
        } catch {
            await cleanUp {
                if let lock = try? await taking?.value ?? nil, !lock.isGivenBack {
                    await self.removeMade(by: lock)
                    try? await lock.unlock()
                }
                // A move that may still be under way needs its file.
                if !Self.isUndecided(error) {
                    await self.removeNow(temporary, write: write, hasArrived: hasArrived.value)
                }
            }
            throw Self.error(error, under: temporary, of: write.path)
        }
    }

    /// Returns `error` with the final path in place of the temporary name.
    private static func error(_ error: any Error, under temporary: ProviderPath, of path: ProviderPath) -> any Error {
        if let error = error as? HTTPStatusError, error.path == temporary.string { return error.about(path) }
        guard let error = error as? URLError, error.sentence.contains(temporary.string) else {
            return TemporaryName.error(error, under: temporary, of: path)
        }
        let sentence = error.sentence.replacingOccurrences(of: temporary.string, with: path.string)
        return URLError(error.code, userInfo: error.userInfo.merging([NSLocalizedDescriptionKey: sentence]) { $1 })
    }

    /// Removes the part of an upload. If the server doesn't remove it, it stays under a recognisable name.
    ///
    /// - Parameter hasArrived: Whether the server has said so: then it is a file like any other, which does not come
    ///   late.
    private func removeNow(_ temporary: ProviderPath, write: FileWrite, hasArrived: Bool) async {
        for look in 0..<6 {
            if look > 0 { try? await Task.sleep(for: .milliseconds(25 << look)) }
            let head = try? await connection.sendOnce(
                HTTPRequest("DELETE", path: temporary, accepts: [404], isWriting: true))
            guard let head else { continue }
            if hasArrived { return }
            // With all bytes sent the file may appear after a first removal that finds nothing.
            if !write.quirks.partsAppearLate, head.status != 404 || !write.source.isSent { return }
        }
    }

    /// Takes the lock that a new file needs here; nil if it needs none, or the caller holds one already.
    private func lockTask(for write: FileWrite) -> Task<WebDAVLock?, any Error>? {
        guard write.quirks.locksNewFiles, !locks.holds(write.path) else { return nil }
        return Task { try await takeNewName(write.path) }
    }

    /// A lock on a name that is about to be taken; nil if the server turns out to have no locks. A client that holds the
    /// lock at the same moment is about to take the name.
    func takeNewName(_ path: ProviderPath) async throws -> WebDAVLock? {
        do { return try await lockIfAny(path) } catch let error as HTTPStatusError where error.code.rawValue == 423 {
            throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path), underlying: error)
        }
    }

    /// Moves the part into place. If the server or a proxy refuses to move, the same bytes are put to the name itself:
    /// they were seen under the temporary name, so the server takes them whole.
    private func movePart(
        _ part: FileObject, _ write: FileWrite, replacing found: FileObject?, _ head: ResponseHead,
        _ taking: Task<WebDAVLock?, any Error>?
    ) async throws -> FileObject {
        // Where a `PUT` decides by itself whether the version is the one that is known, a move would only look;
        // lighttpd moves nothing onto a locked file, not even for the lock's owner.
        let decidesByPut =
            write.options.ifMatch != nil && write.quirks.putsConditionally
            || write.quirks.putsWhole && locks.holds(write.path)
        if part.size == nil || !write.quirks.refusesMoves && !decidesByPut {
            do {
                let moved = try await moveIntoPlace(part, write, replacing: found, taking)
                return write.finished(
                    write.quirks.movesKeepTags ? part : part.withoutVersion,
                    [moved, write.quirks.movesKeepTags ? head : nil])
            } catch let error where part.size == nil && (Self.refusesMoves(error) || Self.status(of: error) == 403) {
                throw unpublishable(write, error: error)
            } catch let error where part.size != nil && Self.refusesMoves(error) {
                known.correct { $0.refusesMoves = true }
            }
        }
        let written = try await putAgain(write, from: part, replacing: found)
        await cleanUp { await self.removeNow(part.path, write: write, hasArrived: true) }
        return written
    }

    /// Puts the bytes of `part` to the name itself, over the version that was seen there if the server takes
    /// conditions.
    private func putAgain(_ write: FileWrite, from part: FileObject, replacing found: FileObject?) async throws
        -> FileObject
    {
        var again = write
        let isRepeatable = write.source.isRepeatable
        let source =
            isRepeatable ? write.source.base : ReaderSource(try await open(path: part.path), length: part.size ?? 0)
        again.source = MarkedSource(source)
        let mayCompare = write.quirks.ifMatch != .ignored || write.quirks.vendor == .other
        if write.options.ifMatch == nil, let tag = found?.entryTag, !tag.hasPrefix("W/"), found?.isDirectory == false,
            mayCompare
        {
            return try await put(again, over: tag, replacing: found)
        }
        return try await putDirectly(again, replacing: found)
    }

    private func unpublishable(_ write: FileWrite, error: any Error) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: write.path, url: url(of: write.path),
            sentence: "The server does not let the upload be checked, and refuses to move it to “\(write.path)”."
                + " Write in place instead: that needs neither.",
            underlying: error)
    }

    private func moveIntoPlace(
        _ temporary: FileObject, _ write: FileWrite, replacing target: FileObject?,
        _ taking: Task<WebDAVLock?, any Error>?
    ) async throws -> ResponseHead? {
        let path = write.path
        if write.options.ifMatch != nil { return try await replaceVersion(by: temporary, write: write) }
        if write.options.overwrite {
            // A large upload leaves time for a folder to appear, which the move would take away with all that is in it.
            let target = write.isLarge ? try await itemIfSeen(path) : target
            if target?.isDirectory == true { try await removeItem(path: path, recursive: false) }
            return try await movePart(temporary, to: path, overwrite: target?.isDirectory != true)
        }
        guard let lock = try await (taking ?? lockTask(for: write))?.value else {
            return try await movePart(temporary, to: path, overwrite: false)
        }
        return try await with(lock) { lock in
            try await fill(lock) { try await movePart(temporary, to: path, overwrite: lock.madeFile, under: lock) }
        }
    }

    /// A lock for the moment of a write; nil where the server turns out to have none.
    private func lockIfAny(_ path: ProviderPath) async throws -> WebDAVLock? {
        do { return try await takeLock(path: path, timeout: Self.lockTime) } catch let error as CocoaError
            where error.code == .featureUnsupported
        { return nil }
    }

    /// How long a lock outlives a process that dies while its file is put into place, in seconds.
    static let lockTime: Double = 60

    /// Lets `body` put a file where `lock` is, if the name was free.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` when it was taken.
    func fill<Value: Sendable>(_ lock: WebDAVLock, _ body: () async throws -> Value) async throws -> Value {
        guard lock.madeFile else {
            // Apache shows a name that is only locked as if it were a file, until it is asked for its bytes.
            let head = try await connection.send(HTTPRequest("HEAD", path: lock.path, accepts: Set(402..<500)))
            if head.status != 404 {
                throw FileError.make(.fileWriteFileExists, path: lock.path, url: url(of: lock.path))
            }
            do { return try await body() } catch let error as HTTPStatusError where error.code.rawValue == 412 {
                // Another was given the lock at the same moment, and is about to fill the name.
                throw FileError.make(.fileWriteFileExists, path: lock.path, url: url(of: lock.path), underlying: error)
            }
        }
        do { return try await body() } catch {
            if !Self.isUndecided(error) { await removeMade(by: lock) }
            throw error
        }
    }

    /// Removes the empty file that a lock made of a free name, in a task that is never cancelled.
    func removeMade(by lock: WebDAVLock) async {
        guard lock.madeFile else { return }
        let headers = condition(at: lock.path, under: lock).map { [$0] } ?? []
        await cleanUp { [connection] in
            _ = try? await connection.sendOnce(
                HTTPRequest("DELETE", path: lock.path, headers: headers, accepts: [404], isWriting: true))
        }
    }

    /// Moves over the version that the write names, and over no other.
    private func replaceVersion(by temporary: FileObject, write: FileWrite) async throws -> ResponseHead? {
        let path = write.path
        let tag = write.quirks.honoursIf ? write.options.ifMatch : nil
        let move: @Sendable (WebDAVLock?) async throws -> ResponseHead? = { lock in
            do {
                return try await self.movePart(temporary, to: path, overwrite: true, under: lock, ifMatch: tag)
            } catch let error
                as HTTPStatusError
                where error.code.rawValue == 412
            {
                // Also of a lock that another was given at the same moment.
                throw self.otherVersion(path, underlying: error)
            }
        }
        return try await locked(for: write, move)
    }

    /// Runs `body` if the file is the version that the write names: under a lock, if the server needs one, or with the
    /// version in an `If` header, if the server checks it.
    func locked<Value: Sendable>(for write: FileWrite, _ body: @Sendable (WebDAVLock?) async throws -> Value)
        async throws -> Value
    {
        // A header that names the file by this side's URL is passed over by a server that has another one for it.
        let looks = !write.quirks.honoursIf || hrefBase.value?.isRewritten == true
        guard write.quirks.locksConditionalWrites, !locks.holds(write.path), let lock = try await lockIfAny(write.path)
        else {
            if looks { try await refuse(write) }
            return try await body(nil)
        }
        return try await with(lock) { lock in
            if lock.madeFile {
                await removeMade(by: lock)
                throw otherVersion(write.path)
            }
            if looks { try await refuse(write) }
            return try await body(lock)
        }
    }
}
