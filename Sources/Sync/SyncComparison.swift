import Crypto
import FileProviderCore
import Foundation

/// Finds out whether files have one content: by hashes that the storages give, else by reading.
struct SyncComparison: Sendable {
    let folders: Sides<SyncFolder>
    let capabilities: Sides<Capabilities>
    let throttle: Throttle?

    private static let sha256 = "sha256"

    /// Compares the files at one path of both sides.
    ///
    /// - Returns: Whether they are the same, and then their SHA-256 where it was found out.
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

    /// What keeps a side's file from being read.
    struct Unread: Error {
        let side: SyncSide
        let reason: any Error
    }

    func onBoth<Value: Sendable>(_ body: @escaping @Sendable (SyncSide) async throws -> Value) async throws -> (Value, Value) {
        @Sendable func on(_ side: SyncSide) async throws -> Value {
            do { return try await body(side) } catch { throw Unread(side: side, reason: error) }
        }
        return try await both {
            try await on(.source)
        } _: {
            try await on(.destination)
        }
    }

    /// The SHA-256 of a file, by its storage where that can, else by reading.
    func sha256(of path: ProviderPath, on side: SyncSide) async throws -> String {
        if let hash = try await storageHash(of: path, on: side, kind: Self.sha256) { return hash }
        return try await read(path, on: side, throttle)
    }

    /// The SHA-256 of a file where that costs no transfer; nil elsewhere.
    func cheapHash(of path: ProviderPath, on side: SyncSide) async throws -> String? {
        if let hash = try await storageHash(of: path, on: side, kind: Self.sha256) { return hash }
        return isNear(side) ? try await read(path, on: side, nil) : nil
    }

    private func read(_ path: ProviderPath, on side: SyncSide, _ throttle: Throttle?) async throws -> String {
        let folder = folders[side]
        return try await folder.provider.withReader(path: folder.path(of: path)) { reader in
            let sink = PassingSink(nil, throttle: throttle)
            _ = try await reader.stream(.whole, into: sink)
            return sink.hash.hexadecimal
        }
    }

    /// Whether a hash costs no transfer.
    func isCheap(on side: SyncSide) -> Bool { kinds(of: side).contains(Self.sha256) || isNear(side) }

    private func isNear(_ side: SyncSide) -> Bool { capabilities[side].readCost.roundTripsPerRange == 0 }

    private func kinds(of side: SyncSide) -> [String] {
        folders[side].provider is any FileProviderChecksums ? capabilities[side].hashKinds : []
    }

    /// A storage's hash; nil where it has none of the kind or for this file, or takes longer to make one than anybody waits.
    private func storageHash(of path: ProviderPath, on side: SyncSide, kind: String) async throws -> String? {
        let folder = folders[side]
        guard let storage = folder.provider as? any FileProviderChecksums, kinds(of: side).contains(kind) else { return nil }
        do { return try await storage.checksum(of: folder.path(of: path), kind: kind) } catch let error
            where !error.concernsEveryItem || (error as? URLError)?.code == .timedOut
        {
            // Whether it can be read shows when it is.
            return nil
        }
    }
}

/// The SHA-256 of bytes that pass by in order.
final class PassingHash: Sendable {
    private let state = Locked<SHA256?>(SHA256())

    /// 64 digits; empty where not all bytes passed in order.
    var hexadecimal: String { state.value?.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() ?? "" }

    func add(_ bytes: UnsafeRawBufferPointer) { state.update { $0?.update(bufferPointer: bytes) } }

    /// Begins anew, with bytes from `offset` on.
    func restart(at offset: Int64) { state.update { $0 = offset == 0 ? SHA256() : nil } }
}

/// Hashes, counts and slows down what goes to another sink; without one, only hashes.
final class PassingSink: ByteSink {
    let hash = PassingHash()
    private let base: (any ByteSink)?
    private let progress: ProgressReporter
    private let throttle: Throttle?

    init(_ base: (any ByteSink)?, progress: ProgressReporter = ProgressReporter(), throttle: Throttle? = nil) {
        self.base = base
        self.progress = progress
        self.throttle = throttle
    }

    func begin(_ extent: FileExtent) throws { try base?.begin(extent) }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let flow = try base?.write(bytes) ?? .ready
        hash.add(bytes)
        progress.advance(by: Int64(bytes.count))
        guard let throttle else { return flow }
        return throttle.take(bytes.count) ? .wait : flow
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) {
        guard let throttle else { return base?.whenReady(resume) ?? resume() }
        throttle.whenReady { [base] in base?.whenReady(resume) ?? resume() }
    }
}

/// Hashes and slows down what comes from another source.
struct PassingSource: WriteSource {
    let hash = PassingHash()
    private let base: any WriteSource
    private let throttle: Throttle?

    init(_ base: any WriteSource, throttle: Throttle?) {
        self.base = base
        self.throttle = throttle
    }

    var length: Int64? { base.length }
    var isRepeatable: Bool { base.isRepeatable }

    func bytes(from offset: Int64) throws -> any ByteSource {
        hash.restart(at: offset)
        return Bytes(base: try base.bytes(from: offset), hash: hash, throttle: throttle)
    }

    private final class Bytes: ByteSource {
        private let base: any ByteSource
        private let hash: PassingHash
        private let throttle: Throttle?

        init(base: any ByteSource, hash: PassingHash, throttle: Throttle?) {
            self.base = base
            self.hash = hash
            self.throttle = throttle
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
            if throttle?.isClosed == true { return .wait }
            let most = min(buffer.count, throttle?.mostAtOnce ?? .max)
            let step = try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<most]))
            if case .bytes(let count) = step {
                hash.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                _ = throttle?.take(count)
            }
            return step
        }

        func whenReady(_ resume: @escaping @Sendable () -> Void) {
            guard let throttle else { return base.whenReady(resume) }
            throttle.whenReady { [base] in base.whenReady(resume) }
        }
    }
}
