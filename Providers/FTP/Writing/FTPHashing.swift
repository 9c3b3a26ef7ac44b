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
        case .crc32(let value):
            state = .crc32(crc32_z(value, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count))
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

/// Computes the hash of a whole source, of which the bytes from one offset on pass.
final class FTPHashingTap: CopyTap {
    private let start: Int64
    /// Of what lies before ``start``.
    private let before: FTPDigest
    private let digest: LockedValue<FTPDigest>

    /// Reads what lies before `start`: what is sent behind it is only a part of what the hash is about.
    init(_ source: any WriteSource, from start: Int64, kind: FTPHash.Kind) async throws {
        var digest = FTPDigest(kind)
        if start > 0 {
            let bytes = try source.bytes(from: 0)
            var rest = start
            while rest > 0, let piece = try await bytes.next(upTo: Int(min(rest, 256 << 10))) {
                piece.withUnsafeBytes { digest.update($0) }
                rest -= Int64(piece.count)
            }
        }
        self.start = start
        before = digest
        self.digest = LockedValue(digest)
    }

    /// Of all that came before, and all that passed by now.
    var value: String { digest.value.value }

    func restart(at offset: Int64) throws {
        guard offset == start else { throw FileError.notRepeatable() }
        digest.update { $0 = before }
    }

    func pass(_ bytes: UnsafeRawBufferPointer) -> FlowState {
        digest.update { $0.update(bytes) }
        return .ready
    }
}
