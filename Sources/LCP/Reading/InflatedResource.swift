import Archives
import FileProviderCore
import Foundation
import Publication

/// A resource that was deflated before it was encrypted, decrypted and unpacked as it is read. Its checkpoints contain
/// plain text and stay in memory.
final class InflatedResource: DecryptedResource {
    private enum Form: Sendable {
        /// Declared as encrypted, and neither that nor compressed.
        case plain
        case deflated(DeflatedBytes)
    }

    private let base: EncryptedResource
    private let checkpoints: SharedCheckpoints
    private let form = LazyValue<Form>()

    init(_ base: EncryptedResource, checkpoints: SharedCheckpoints) {
        self.base = base
        self.checkpoints = checkpoints
    }

    var link: Link { base.link }
    var cipher: any Resource { base.cipher }

    func reading(_ cipher: any Resource) -> any Resource {
        InflatedResource(base.over(cipher), checkpoints: checkpoints)
    }

    /// Returns the unpacked length: the declared one, or that which unpacking shows.
    func length() async throws -> Int64 {
        switch try await shape() {
        case .plain: try await base.length()
        case .deflated(let bytes): try await bytes.length()
        }
    }

    func validator() async throws -> ResourceValidator? { try await base.validator() }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        switch try await shape() {
        case .plain: try await base.stream(range, into: sink)
        case .deflated(let bytes): try await bytes.stream(range, into: sink)
        }
    }

    func close() async { await base.close() }

    private func shape() async throws -> Form {
        try await form.value { [base, checkpoints] in
            guard case .cipher(let extent) = try await base.shape() else { return .plain }
            return .deflated(
                DeflatedBytes(
                    path: base.link.href, compressedSize: extent.plainLengths.upperBound,
                    length: base.link.properties.encryption?.originalLength,
                    checkpoints: try await checkpoints.of(base),
                    source: { try await base.stream($0, into: $1) }))
        }
    }
}
