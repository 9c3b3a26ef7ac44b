import Cryptography
import FileProviderCore
import Foundation

/// Compares the content of files: by hashes that the storages provide, else by reading.
struct SyncComparison: Sendable {
    let folders: Sides<SyncFolder>
    let capabilities: Sides<Capabilities>
    let throttle: Throttle?

    private static let sha256 = "sha256"

    /// Compares the files that both sides have at `path`.
    ///
    /// - Returns: Whether they are the same, and if so, their SHA-256 if it was computed.
    /// - Throws: ``Unread``.
    func compare(at path: ProviderPath) async throws -> (isSame: Bool, hash: String?) {
        let kinds = Sides(self.kinds(of: .source), self.kinds(of: .destination))
        if let kind = kinds.source.first(where: kinds.destination.contains), kind != Self.sha256 {
            let (one, other) = try await onBoth { try await storageHash(of: path, on: $0, kind: kind) }
            if let one, let other { return (one == other, nil) }
        }
        let (one, other) = try await onBoth { try await sha256(of: path, on: $0) }
        let isSame = one == other && !one.isEmpty
        return (isSame, isSame ? one : nil)
    }

    /// The reason why a side's file could not be read.
    struct Unread: Error {
        let side: SyncSide
        let reason: any Error
    }

    func onBoth<Value: Sendable>(_ body: @escaping @Sendable (SyncSide) async throws -> Value) async throws -> (
        Value, Value
    ) {
        @Sendable func on(_ side: SyncSide) async throws -> Value {
            do { return try await body(side) } catch { throw Unread(side: side, reason: error) }
        }
        return try await both {
            try await on(.source)
        } _: {
            try await on(.destination)
        }
    }

    /// Returns the SHA-256 of a file, from its storage if possible, else by reading it.
    func sha256(of path: ProviderPath, on side: SyncSide) async throws -> String {
        if let hash = try await storageHash(of: path, on: side, kind: Self.sha256) { return hash }
        return try await read(path, on: side, throttle)
    }

    /// Returns the SHA-256 of a file if it costs no transfer, else `nil`.
    func cheapHash(of path: ProviderPath, on side: SyncSide) async throws -> String? {
        if let hash = try await storageHash(of: path, on: side, kind: Self.sha256) { return hash }
        return isNear(side) ? try await read(path, on: side, nil) : nil
    }

    private func read(_ path: ProviderPath, on side: SyncSide, _ throttle: Throttle?) async throws -> String {
        let folder = folders[side]
        let tap = SyncTap(throttle: throttle)
        try await FileCopy(folder.path(of: path), of: folder.provider, tap: tap).read(into: DiscardingSink())
        return tap.hash.hexadecimal
    }

    /// Whether a hash costs no transfer.
    func isCheap(on side: SyncSide) -> Bool {
        kinds(of: side).contains(Self.sha256) && capabilities[side].hashesEveryFile || isNear(side)
    }

    private func isNear(_ side: SyncSide) -> Bool { capabilities[side].readCost.roundTripsPerRange == 0 }

    private func kinds(of side: SyncSide) -> [String] {
        folders[side].provider is any FileProviderChecksums ? capabilities[side].hashKinds : []
    }

    /// Returns a storage's hash, or `nil` if it has none of this kind or for this file, or takes too long to compute
    /// it.
    private func storageHash(of path: ProviderPath, on side: SyncSide, kind: String) async throws -> String? {
        let folder = folders[side]
        guard let storage = folder.provider as? any FileProviderChecksums, kinds(of: side).contains(kind) else {
            return nil
        }
        do { return try await storage.checksum(of: folder.path(of: path), kind: kind) } catch let error
            where !error.concernsEveryItem || (error as? URLError)?.code == .timedOut
        {
            // Reading the file shows whether it is readable.
            return nil
        }
    }
}

/// The SHA-256 of bytes that pass by in order.
final class PassingHash: Sendable {
    private let state = LockedValue<Hash?>(Hash(.sha256))

    /// The hash in 64 digits; empty if not all bytes passed in order.
    var hexadecimal: String { state.value?.digest.hexadecimal ?? "" }

    func add(_ bytes: UnsafeRawBufferPointer) { state.update { $0?.update(bytes) } }

    /// Restarts the hash with bytes from `offset` on.
    func restart(at offset: Int64) { state.update { $0 = offset == 0 ? Hash(.sha256) : nil } }
}

/// Hashes and slows down the bytes of a transfer.
final class SyncTap: CopyTap {
    let hash = PassingHash()
    private let throttle: Throttle?

    init(throttle: Throttle?) {
        self.throttle = throttle
    }

    var maxAtOnce: Int { throttle?.maxAtOnce ?? .max }
    var isOpen: Bool { throttle?.isClosed != true }

    func begin(_ extent: FileExtent) throws { hash.restart(at: extent.offset) }

    func restart(at offset: Int64) { hash.restart(at: offset) }

    func pass(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        hash.add(bytes)
        return throttle?.take(bytes.count) == true ? .wait : .ready
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) {
        guard let throttle else { return resume() }
        throttle.whenReady(resume)
    }
}
