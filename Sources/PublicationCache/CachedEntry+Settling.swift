import Archives
import FileProviderCore
import Foundation
import Publication
import Synchronization

/// Decides which file to read from, and whether its version is the medium's.
extension CachedEntry {
    /// Returns the file to read from; nil to read past the cache.
    ///
    /// - Parameters:
    ///   - offset: The offset at which reading will begin.
    ///   - mustAsk: Whether the medium must confirm the version, because bytes are missing.
    func settled(near offset: Int64, mustAsk: Bool = false) async throws -> CacheFile? {
        enum Way {
            case done(CacheFile?)
            case wait(SingleFlight<CacheFile?>, isNew: Bool)
        }
        let asks = mustAsk || policy.revalidation == .always
        let way: Way = state.withLock { state in
            let isSettled = state.isConfirmed || state.isOffline || policy.revalidation == .never
            if state.file != nil, mustAsk ? state.isConfirmed : !asks && isSettled { return .done(state.file) }
            if state.file == nil, state.refusal != nil { return .done(nil) }
            if let settling = state.settling {
                settling.join()
                return .wait(settling, isNew: false)
            }
            let settling = SingleFlight<CacheFile?>()
            settling.join()
            state.settling = settling
            return .wait(settling, isNew: true)
        }
        guard case .wait(let settling, let isNew) = way else {
            if case .done(let file) = way { return file }
            return nil
        }
        if isNew {
            settling.start { [self] in
                defer { state.withLock { if $0.settling === settling { $0.settling = nil } } }
                return try await settle(near: offset, mustAsk: mustAsk)
            }
        }
        defer {
            let isLast = state.withLock { state in
                guard settling.leave() else { return false }
                if state.settling === settling { state.settling = nil }
                return true
            }
            if isLast { settling.cancel() }
        }
        do {
            return try await settling.value()
        } catch {
            // Another reader's question may have failed that this one need not ask.
            if isNew || mustAsk || error.isCancellation { throw error }
        }
        return try await settled(near: offset)
    }

    private func settle(near offset: Int64, mustAsk: Bool) async throws -> CacheFile? {
        guard let file = try await openFile() else { return try await begin(near: offset) }
        let (isConfirmed, isOffline) = state.withLock { ($0.isConfirmed, $0.isOffline) }
        switch policy.revalidation {
        case _ where mustAsk: break
        case .never: return file
        case .firstAccess: if isConfirmed || isOffline { return file }
        case .always: state.withLock { $0.resource = nil }
        }
        do {
            if try await validate(file) { return file }
        } catch {
            switch error.resourceFailure {
            case .unavailable where policy.servesOffline && !mustAsk:
                state.withLock { $0.isOffline = true }
                return file
            case .notFound:
                // The file is gone from disk; forget it, so that it isn't served when the server is offline later.
                state.withLock { $0.file = nil }
                try? await BlockingThreads.shared.run { [folder, digest] in
                    try folder.remove(Array(digest.name.utf8))
                    CacheSurvey.removeIfEmpty(folder.path)
                }
            default: break
            }
            throw error
        }
        return try await begin(near: offset)
    }

    /// Returns the open file, else the one on disk.
    private func openFile() async throws -> CacheFile? {
        if let file = state.withLock({ $0.file }) { return file }
        let (folder, digest) = (folder, digest)
        let found = try? await BlockingThreads.shared.run { try CacheFile.open(digest, in: folder) }
        guard let found else { return nil }
        state.withLock { state in
            state.file = found
            // Another fetcher may have replaced the file since it was last open here.
            if found.header.nonce != state.confirmedNonce { state.isConfirmed = false }
        }
        return found
    }

    /// Returns whether the medium has the version that is in `file`.
    ///
    /// If the medium reports only a length, an incomplete file of another fetcher is not continued: the rest might be
    /// of other bytes.
    private func validate(_ file: CacheFile) async throws -> Bool {
        let version = try await version(of: resource)
        guard file.header.holds(version) else {
            // Stored bytes are dropped only for a new version of the file.
            try await (resource as? any ConfirmableResource)?.confirm(insteadOf: file.header.length)
            return false
        }
        if version.tag == nil, state.withLock({ $0.ownNonce }) != file.header.nonce {
            guard policy.trustsLength else { return false }
            // An error, such as a cancellation, says nothing about the file, which is kept.
            guard try await BlockingThreads.shared.run({ flag in try file.isComplete(flag) }) else { return false }
        }
        state.withLock { $0.confirm(file) }
        return true
    }

    /// Creates a file for the medium's version, in place of the existing one; nil if it cannot be created.
    ///
    /// Requests bytes first: the response contains the version, too, which saves a request. An archive knows its
    /// entries without a request, and verifies checksums only of entries that are read as a whole.
    private func begin(near offset: Int64) async throws -> CacheFile? {
        state.withLock { $0.file = nil }
        let resource = resource
        let block = CacheHeader.usualBlock
        let start = min(offset, CacheHeader.maxLength) / block * block
        var first: Data?
        if archived == nil { first = try await resource.read(start..<start + block) }
        let version = try await version(of: resource)
        let expected = (start..<start + block).clamped(to: 0..<max(0, version.length))
        guard (0...CacheHeader.maxLength).contains(version.length), first == nil || first?.count == expected.count
        else {
            let isTooLong = version.length > CacheHeader.maxLength
            let sentence =
                "“\(link.href)” \(isTooLong ? "is too long to be cached" : "is not as long as its storage reported")."
            refuse(StorageFailure(cause: FileError.make(.fileReadUnknown, path: link.href, sentence: sentence)))
            return nil
        }
        do {
            try await cache.makeRoom(for: CacheHeader.size + Int64(expected.count))
            let (folder, digest, bytes) = (folder, digest, first ?? Data())
            let file = try await BlockingThreads.shared.run {
                let file = try CacheFile.make(version, of: digest, in: folder)
                let index = Int(start / file.header.block)
                guard !bytes.isEmpty, file.header.extent(of: index).count == bytes.count else { return file }
                try bytes.withUnsafeBytes { try file.write($0, at: start) }
                file.add(index, checksum: CRC32.of(bytes))
                try file.commit()
                return file
            }
            state.withLock { state in
                state.file = file
                state.confirm(file)
                state.ownNonce = file.header.nonce
            }
            return file
        } catch let failure as StorageFailure {
            refuse(failure)
            return nil
        }
    }
}

extension CachedEntry.State {
    fileprivate mutating func confirm(_ file: CacheFile) {
        isConfirmed = true
        isOffline = false
        confirmedNonce = file.header.nonce
    }
}
