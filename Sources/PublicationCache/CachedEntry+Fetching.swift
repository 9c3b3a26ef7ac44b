import Archives
import FileProviderCore
import Foundation
import Publication
import Synchronization

/// What is missing, from the medium.
extension CachedEntry {
    /// The most that one request asks for ahead of the reader, 16 MiB: it goes to the disk as fast as it comes, whether
    /// the reader takes it or not.
    private static let window: Int64 = 16 << 20

    /// Joins the request that brings `block`, or makes one for it and the missing ones behind it; nil where it has come
    /// by now.
    func fetch(_ block: Int, before end: Int, of file: CacheFile) async throws -> BlockFetch? {
        if state.withLock({ !$0.isConfirmed }) {
            guard try await settled(near: Int64(block) * file.header.block, mustAsk: true) === file else {
                throw changed()
            }
        }
        // A longer entry, whatever it claims, is one that archives do not unpack unless they are told to.
        let maxSize = isCompressed ? ArchiveLimits.standard.maxEntrySize : min(Self.window, cache.capacity / 4)
        let ahead = min(end, block + max(1, Int(maxSize / file.header.block)))
        let (missing, isRemoved) = try await BlockingThreads.shared.run { flag in
            (try file.missing(in: block..<ahead, flag), file.isRemoved)
        }
        let (fetch, isNew): (BlockFetch?, Bool) = try state.withLock { state in
            // The next reader looks for the file that is there now.
            if isRemoved, state.file === file { state.file = nil }
            let own = state.fetches.filter { $0.file === file }
            if let running = own.first(where: { $0.blocks.contains(block) && $0.join() }) { return (running, false) }
            if missing.isEmpty || file.has(block..<block + 1) { return (nil, false) }
            if let refusal = state.refusal { throw refusal }
            let limit = own.map(\.blocks.lowerBound).filter { $0 > block }.min() ?? missing.upperBound
            let fetch = BlockFetch(block..<min(missing.upperBound, limit), into: file)
            state.fetches.append(fetch)
            return (fetch, true)
        }
        if let fetch, isNew { fetch.start { try await self.bring(fetch) } }
        return fetch
    }

    /// Asks the medium for the blocks of `fetch`, and writes down what came, however it ends.
    private func bring(_ fetch: BlockFetch) async throws {
        defer { state.withLock { $0.fetches.removeAll { $0 === fetch } } }
        let (file, resource, writer) = (fetch.file, resource, BlockWriter(fetch, cache: cache))
        try await writer.reserve()
        do {
            try await resource.stream(writer.range, into: writer)
            guard writer.isDone else {
                throw FileError.make(
                    .fileReadUnknown, path: link.href,
                    sentence: "“\(link.href)” came short: its medium has less than it said.")
            }
        } catch {
            let isStopped = error.isCancellation
            if isStopped || writer.failure != nil || error.resourceFailure == .unavailable {
                // In a task of its own, which nobody cancels.
                await withCancellationShield { try? await self.commit(file, by: resource) }
            } else {
                // Damaged, or another version: what came with the error is as bad.
                file.dropPending()
            }
            if let failure = writer.failure { throw failure }
            if writer.hasOtherSize { throw changed() }
            if !isStopped { doubt() }
            throw error
        }
        try await commit(file, by: resource)
    }

    /// Writes down what came, if the medium still speaks of the same version; else forgets the file.
    func commit(_ file: CacheFile, by resource: any Resource) async throws {
        guard file.pendingBlocks > 0 else { return }
        do {
            guard file.header.holds(try await version(of: resource)) else {
                state.withLock { if $0.file === file { $0.file = nil } }
                throw changed()
            }
        } catch {
            file.dropPending()
            doubt()
            throw error
        }
        do {
            try await BlockingThreads.shared.run { try file.commit() }
        } catch let failure as StorageFailure {
            refuse(failure)
        }
    }

    /// The error of a read, after which the next one asks anew.
    func changed() -> CocoaError {
        doubt()
        return FileError.make(
            .fileReadUnknown, path: link.href,
            sentence: "“\(link.href)” changed while it was being read; read it again.",
            underlying: POSIXError(.ESTALE))
    }
}
