import Archives
import Cryptography
import FileProviderCore
import Foundation
import MediaTypes

/// The link `publication` of a licence, with what it says about the file.
struct PublicationLink: Sendable {
    let url: URL
    /// The media type as the licence gives it.
    let type: String?
    let length: Int64?
    /// The SHA-256 hash of the file; nil if the licence has none, or it was not read.
    let hash: [UInt8]?

    /// - Parameter readsHash: False for a use that compares no hash, and so accepts a licence with an unreadable one.
    /// - Throws: ``LCPProblem`` of the kinds `noPublicationLink`, and `invalidLicense` for a hash that is not SHA-256 in
    ///   hexadecimal or Base64.
    init(of license: LicenseDocument, readsHash: Bool = true) throws {
        guard let link = license.link("publication") else { throw LCPProblem(.noPublicationLink) }
        guard let url = link.url(), ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw LCPProblem(
                .noPublicationLink,
                sentence:
                    "The licence's link to its publication, “\(link.href.prefix(200))”, is not an http or https address."
            )
        }
        self.url = url
        type = link.type
        length = link.length
        hash = try readsHash ? link.hash.map(Self.hash) : nil
    }

    /// LCP 1.0, section 3.4, calls the hash Base64; its examples and most servers have hexadecimal.
    private static func hash(_ text: String) throws -> [UInt8] {
        let bytes = Hexadecimal.bytes(text) ?? Data(base64Encoded: text).map { Array($0) }
        guard let bytes, bytes.count == HashAlgorithm.sha256.byteCount else {
            throw LCPProblem(
                .invalidLicense,
                sentence:
                    "The licence's hash of its publication, “\(text.prefix(100))”, is not SHA-256 in hexadecimal or Base64."
            )
        }
        return bytes
    }

    /// For messages.
    var name: String { url.withoutSecrets.absoluteString }

    /// The same in every run for one publication.
    var identity: String { "LCP\u{0}\(name)\u{0}\(hash.map { Hexadecimal.text($0) } ?? "")\u{0}\(length ?? -1)" }

    /// The media type to store with the package; nil for types that packages don't have.
    var contentType: String? { type.flatMap { MediaType($0) }.flatMap { $0.isZIP ? $0.string : nil } }

    /// - Parameter what: What the downloaded file is, as it follows its name.
    func damaged(_ what: String, _ underlying: (any Error)? = nil) -> LCPProblem {
        Self.damaged(name, what, underlying)
    }

    static func damaged(_ name: String, _ what: String, _ underlying: (any Error)? = nil) -> LCPProblem {
        LCPProblem(
            .damagedDownload, sentence: "“\(name)” \(what). Nothing was kept; download it again.",
            underlying: underlying)
    }
}

/// Compares the hash of a downloaded package while its bytes pass, before the new ones do.
final class HashCheck: CopyTap {
    private struct State: Sendable {
        var hash = Hash(.sha256)
        /// Bytes from the start that are in `hash`.
        var hashed: Int64 = 0
        /// Where the next bytes are in the package.
        var position: Int64 = 0
        var isRight = false
        var problem: LCPProblem?
    }

    private let expected: [UInt8]
    private let keptLength: Int64
    private let replaced: Data
    private let name: String
    private let state = LockedValue(State())

    /// - Parameter name: The download's, for messages.
    init(_ expected: [UInt8], of addition: ZIPAddition, name: String) {
        self.expected = expected
        keptLength = addition.keptLength
        replaced = addition.replaced
        self.name = name
    }

    /// Why nothing more passes; a storage may report that as its own error.
    var problem: LCPProblem? { state.value.problem }

    /// Bytes that pass again are not hashed again.
    func restart(at offset: Int64) { state.update { $0.position = offset } }

    func pass(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let problem = state.update { state in
            hash(bytes, &state)
            if !state.isRight, state.hashed == keptLength { compare(&state) }
            return state.problem
        }
        if let problem { throw problem }
        return .ready
    }

    func finish() throws {
        guard state.value.isRight else { throw problem ?? PublicationLink.damaged(name, "was not read as a whole") }
    }

    private func hash(_ bytes: UnsafeRawBufferPointer, _ state: inout State) {
        let known = state.hashed - state.position
        let end = min(Int64(bytes.count), keptLength - state.position)
        state.position += Int64(bytes.count)
        // Bytes behind a gap cannot be hashed; the package is then refused at its end.
        guard known >= 0, known < end else { return }
        state.hash.update(UnsafeRawBufferPointer(rebasing: bytes[Int(known)..<Int(end)]))
        state.hashed += end - known
    }

    private func compare(_ state: inout State) {
        state.hash.update(replaced)
        if state.hash.digest.bytes == expected {
            state.isRight = true
        } else {
            state.problem = PublicationLink.damaged(name, "has another hash than the licence says")
            // No later call adds the rest once more.
            state.hashed = -1
        }
    }
}
