package import Foundation

/// A hash of bytes that arrive in pieces. A copy continues independently.
///
/// - Complexity: One allocation of some hundred bytes; a copy allocates when it is first updated.
package struct Hash: Sendable {
    package let algorithm: HashAlgorithm
    private var context: HashContext

    package init(_ algorithm: HashAlgorithm) {
        self.algorithm = algorithm
        context = HashContext(algorithm)
    }

    /// Appends `bytes` to the message, without copying them.
    package mutating func update(_ bytes: some ContiguousBytes) {
        if !isKnownUniquelyReferenced(&context) { context = HashContext(copying: context) }
        bytes.withUnsafeBytes { context.update($0) }
    }

    /// Returns the digest of the bytes so far. More bytes may follow.
    package var digest: Digest { HashContext(copying: context).finish(count: algorithm.byteCount) }
}
