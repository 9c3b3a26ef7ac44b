import CZlib
import Cryptography
import FileProviderCore
import Foundation

/// A hash on its way, as a value: a copy goes on by itself.
struct FTPDigest: Sendable {
    private enum State {
        /// As in ZIP: what ISO 3309 says, least significant bit first.
        case crc32(UInt)
        case other(Hash)
    }

    private var state: State

    init(_ kind: FTPHash.Kind) {
        state =
            switch kind {
            case .sha256: .other(Hash(.sha256))
            case .sha512: .other(Hash(.sha512))
            case .sha1: .other(Hash(.sha1))
            case .md5: .other(Hash(.md5))
            case .crc32: .crc32(0)
            }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .crc32(let value): state = .crc32(crc32_z(value, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count))
        case .other(var hash):
            // Leaves `hash` as the one owner, so that its state is not copied.
            state = .crc32(0)
            hash.update(bytes)
            state = .other(hash)
        }
    }

    /// In lower-case hexadecimal digits.
    var value: String {
        switch state {
        case .crc32(let value): FTPHash.Kind.crc32.padded(String(value, radix: 16))
        case .other(let hash): hash.digest.hexadecimal
        }
    }
}

/// Passes on a source's bytes from one offset, and computes the hash of the whole on the way.
final class FTPHashingSource: WriteSource {
    private let base: any WriteSource
    private let start: Int64
    /// Of what lies before ``start``.
    private let before: FTPDigest
    private let digest: Locked<FTPDigest>

    /// Reads what lies before `start`: what is sent behind it is only a part of what the hash is about.
    init(_ base: any WriteSource, from start: Int64, _ kind: FTPHash.Kind) async throws {
        var digest = FTPDigest(kind)
        if start > 0 {
            let bytes = try base.bytes(from: 0)
            var rest = start
            while rest > 0, let piece = try await bytes.next(upTo: Int(min(rest, 256 << 10))) {
                piece.withUnsafeBytes { digest.update($0) }
                rest -= Int64(piece.count)
            }
        }
        self.base = base
        self.start = start
        before = digest
        self.digest = Locked(digest)
    }

    /// Of all that came before, and all that was read by now.
    var value: String { digest.value.value }

    var length: Int64? { base.length }
    var isRepeatable: Bool { base.isRepeatable }

    func bytes(from offset: Int64) throws -> any ByteSource {
        guard offset == start else { throw FileError.notRepeatable() }
        digest.update { $0 = before }
        return Bytes(base: try base.bytes(from: offset), digest: digest)
    }

    private final class Bytes: ByteSource {
        private let base: any ByteSource
        private let digest: Locked<FTPDigest>

        init(base: any ByteSource, digest: Locked<FTPDigest>) {
            self.base = base
            self.digest = digest
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
            let step = try base.read(into: buffer)
            if case .bytes(let count) = step { digest.update { $0.update(UnsafeRawBufferPointer(rebasing: buffer.prefix(count))) } }
            return step
        }

        func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
    }
}
