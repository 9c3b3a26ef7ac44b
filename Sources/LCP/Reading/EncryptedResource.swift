import Archives
import FileProviderCore
import Foundation
import Publication

/// A resource that is decrypted as it is read, by ranges. One that is declared as encrypted and is not is passed through.
final class EncryptedResource: DecryptedResource {
    /// What the resource is, by its length.
    enum Form: Sendable {
        case plain(length: Int64)
        case cipher(CipherExtent)
    }

    let link: Link
    let cipher: any Resource
    private let key: LicenseKey
    private let encryption: Encryption
    private let form = LazyValue<Form>()
    /// The length of the plain text, as the last block shows it.
    private let found = LockedValue<Int64?>(nil)
    private let finding = LazyValue<Int64>()

    init(_ cipher: any Resource, key: LicenseKey, encryption: Encryption) {
        var link = cipher.link
        // The medium's size is that of the cipher text.
        link.size = encryption.originalLength
        link.properties.encryption = encryption
        self.link = link
        self.cipher = cipher
        self.key = key
        self.encryption = encryption
    }

    func reading(_ cipher: any Resource) -> any Resource { over(cipher) }

    /// As ``reading(_:)``.
    func over(_ cipher: any Resource) -> EncryptedResource {
        EncryptedResource(cipher, key: key, encryption: encryption)
    }

    /// Returns the length of the decrypted bytes, which may still be compressed.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if the last block cannot be decrypted.
    /// - Complexity: Nothing if the declared length is possible; else one read of 32 bytes, once.
    func length() async throws -> Int64 {
        switch try await shape() {
        case .plain(let length): length
        case .cipher(let extent): try await length(in: extent)
        }
    }

    func validator() async throws -> ResourceValidator? { try await cipher.validator() }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        guard case .cipher(let extent) = try await shape() else { return try await cipher.stream(range, into: sink) }
        let known = knownLength(in: extent)
        // The block of padding is read with the whole, and with what may reach into it.
        let most = known ?? extent.plainLengths.upperBound
        let wanted = (range ?? 0..<most).clamped(to: 0..<most)
        guard range == nil || !wanted.isEmpty else { return try await sendNothing(at: range, in: extent, to: sink) }
        let isWhole = wanted == 0..<most
        try await read(wanted, isWhole ? 0..<extent.length : extent.part(for: wanted), of: extent, known, into: sink)
    }

    func close() async { await cipher.close() }

    /// Whether the resource is plain or cipher text.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a cipher text that is cut off.
    func shape() async throws -> Form {
        try await form.value { [cipher, encryption, link] in
            let length = try await cipher.length()
            if let extent = CipherExtent(length: length) { return .cipher(extent) }
            if let plain = encryption.plainLength, length != plain, CipherExtent.isTooShort(length, for: plain) {
                throw FileError.make(
                    .fileReadCorruptFile, path: link.href,
                    sentence: "“\(link.href)” is damaged: it has only \(length) bytes, too few for what it encrypts.")
            }
            return .plain(length: length)
        }
    }

    // MARK: Lengths

    /// The length that the last block showed, or that is declared and possible; nil if neither is known.
    private func knownLength(in extent: CipherExtent) -> Int64? {
        found.value ?? encryption.plainLength.flatMap { extent.plainLengths.contains($0) ? $0 : nil }
    }

    private func length(in extent: CipherExtent) async throws -> Int64 {
        if let length = knownLength(in: extent) { return length }
        return try await finding.value { [self] in
            // All that the last block can have, which may be nothing.
            let last = extent.lastBlock..<extent.plainLengths.upperBound
            try await read(last, extent.part(for: last), of: extent, nil, into: DiscardingSink())
            guard let length = found.value else { throw FileError.make(.fileReadUnknown, path: link.href) }
            return length
        }
    }

    // MARK: Reading

    /// Answers a range that has no bytes, as other resources do: clamped to the length, if that matters.
    private func sendNothing(at range: Range<Int64>?, in extent: CipherExtent, to sink: any ByteSink) async throws {
        let start = max(0, range?.lowerBound ?? 0)
        var known = knownLength(in: extent)
        if known == nil, start > extent.lastBlock { known = try await length(in: extent) }
        let offset = min(start, known ?? start)
        try await sink.take(Data(), extent: FileExtent(offset: offset, count: 0, size: known ?? -1))
    }

    private func read(
        _ wanted: Range<Int64>, _ part: Range<Int64>, of extent: CipherExtent, _ length: Int64?, into sink: any ByteSink
    ) async throws {
        let plan = DecryptingSink.Plan(
            href: link.href, extent: extent, wanted: wanted, cipher: part, length: length)
        let decrypting = DecryptingSink(sink, plan: plan, key: key) { [found] length in found.update { $0 = length } }
        // Without a range, so that the medium checks all it can.
        try await cipher.stream(part == 0..<extent.length ? nil : part, into: decrypting)
        try decrypting.finish()
    }
}

extension Encryption {
    /// The declared length of the plain text; nil if none is declared, or it is that before compression.
    fileprivate var plainLength: Int64? { isCompressed ? nil : originalLength }

    /// Whether the resource was compressed before it was encrypted, in a known way or another.
    private var isCompressed: Bool { ![nil, "none", "0", ""].contains(compression) }
}
