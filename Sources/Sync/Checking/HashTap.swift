import Cryptography
import FileProviderCore

/// Hashes the bytes of a file as they pass.
final class HashTap: CopyTap {
    private let algorithm: HashAlgorithm
    private let state: LockedValue<Hash?>

    /// Returns `nil` for a kind that this machine doesn't compute.
    init?(kind: String) {
        guard let algorithm = HashAlgorithm(rawValue: kind) else { return nil }
        self.algorithm = algorithm
        state = LockedValue(Hash(algorithm))
    }

    /// The digest, or `nil` if bytes did not pass in order.
    var hexadecimal: String? { state.value?.digest.hexadecimal }

    func begin(_ extent: FileExtent) throws { restart(at: extent.offset) }

    func restart(at offset: Int64) { state.update { $0 = offset == 0 ? Hash(algorithm) : nil } }

    func pass(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        state.update { $0?.update(bytes) }
        return .ready
    }
}
