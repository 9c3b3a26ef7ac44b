import Cryptography
import FileProviderCore
import Foundation
import Synchronization

/// Makes obfuscated fonts readable: the start of each is mixed with a key made of the book's identifier (EPUB 3.3,
/// section 4.4; Adobe's older way is nowhere specified and widely used).
///
/// Bytes are unmixed by their offset in the font while they pass through, so any range can be read; a font keeps its
/// length.
public struct FontDeobfuscator: Sendable {
    /// The algorithm of obfuscation, by the URI in `encryption.xml` and manifests.
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// The first 1,040 bytes, with the SHA-1 of the identifier.
        case idpf = "http://www.idpf.org/2008/embedding"
        /// The first 1,024 bytes, with the 16 bytes of an identifier that is a UUID.
        case adobe = "http://ns.adobe.com/pdf/enc#RC"

        /// How many bytes from the start of a font are mixed.
        var length: Int64 { self == .idpf ? 1040 : 1024 }
    }

    private let keys: [Algorithm: [UInt8]]
    private let algorithms: [String: Algorithm]

    /// - Parameters:
    ///   - identifiers: The identifiers of the book, its unique one first; Adobe's way uses the first that is a UUID.
    ///   - algorithms: The obfuscated resources, by href. Resources that are not in it are handled by the `encrypted`
    ///     property of their link.
    public init(identifiers: [String], algorithms: [String: Algorithm] = [:]) {
        self.algorithms = algorithms
        var keys: [Algorithm: [UInt8]] = [:]
        keys[.idpf] = identifiers.first.flatMap(Self.idpfKey)
        keys[.adobe] = identifiers.lazy.compactMap(Self.adobeKey).first
        self.keys = keys
    }

    /// Returns whether the identifiers give a key: not if they are empty or, for Adobe's way, contain no UUID.
    public func hasKey(for algorithm: Algorithm) -> Bool { keys[algorithm] != nil }

    /// The transformer for a ``TransformingFetcher``. Returns resources that are not obfuscated unchanged; those
    /// without a key fail when they are read, with `CocoaError(.fileReadCorruptFile)`.
    public var transformer: ResourceTransformer { { transform($0) } }

    private func transform(_ resource: any Resource) -> any Resource {
        guard let algorithm = algorithm(of: resource.link) else { return resource }
        guard let key = keys[algorithm] else {
            let href = resource.link.href
            let sentence =
                "“\(href)” cannot be read: it is obfuscated with the identifier of the book, which the book does not have."
            return FailureResource(
                resource.link, error: FileError.make(.fileReadCorruptFile, path: href, sentence: sentence))
        }
        return DeobfuscatedResource(resource, key: key, length: algorithm.length)
    }

    private func algorithm(of link: Link) -> Algorithm? {
        let href = HREFBase.root.resolve(link.href).map(HREFBase.resource) ?? link.href
        return algorithms[href] ?? link.properties.encryption.flatMap { Algorithm(rawValue: $0.algorithm) }
    }

    /// Ignores white space in the identifier; nil if nothing else is in it.
    static func idpfKey(_ identifier: String) -> [UInt8]? {
        let bytes = identifier.utf8.filter { ![0x20, 0x09, 0x0D, 0x0A].contains($0) }
        return bytes.isEmpty ? nil : Digest(.sha1, of: bytes).bytes
    }

    /// Returns the 32 digits of a UUID, ignoring other characters; nil for anything else.
    static func adobeKey(_ identifier: String) -> [UInt8]? {
        let text = identifier.lowercased().replacing("urn:uuid:", with: "")
        let between: Set<Character> = ["-", "{", "}"]
        let digits = text.filter { !$0.isWhitespace && !between.contains($0) }
        let values = digits.compactMap(\.hexDigitValue)
        guard values.count == 32, digits.count == 32 else { return nil }
        return stride(from: 0, to: 32, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}

/// A font whose start is mixed with a key.
private final class DeobfuscatedResource: Resource {
    private let base: any Resource
    private let key: [UInt8]
    private let mixedLength: Int64

    init(_ base: any Resource, key: [UInt8], length: Int64) {
        self.base = base
        self.key = key
        mixedLength = length
    }

    var link: Link { base.link }

    func length() async throws -> Int64 { try await base.length() }

    func validator() async throws -> ResourceValidator? { try await base.validator() }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        let start = max(0, range?.lowerBound ?? 0)
        guard start < mixedLength else { return try await base.stream(range, into: sink) }
        try await base.stream(range, into: MixingSink(sink, key: key, length: mixedLength, offset: start))
    }

    func close() async { await base.close() }
}

/// Unmixes the bytes up to an offset with a key, and passes all on.
private final class MixingSink: ByteSink {
    private let base: any ByteSink
    private let key: [UInt8]
    private let length: Int64
    private let offset: Mutex<Int64>

    /// - Parameter offset: The offset of the first byte in the resource, unless the source says otherwise.
    init(_ base: any ByteSink, key: [UInt8], length: Int64, offset: Int64) {
        self.base = base
        self.key = key
        self.length = length
        self.offset = Mutex(offset)
    }

    func begin(_ extent: FileExtent) throws {
        offset.withLock { $0 = extent.offset }
        try base.begin(extent)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let start = offset.withLock { offset in
            defer { offset += Int64(bytes.count) }
            return offset
        }
        let count = Int(min(Int64(bytes.count), max(0, length - start)))
        guard count > 0 else { return try base.write(bytes) }
        var mixed = [UInt8](bytes)
        for index in 0..<count { mixed[index] ^= key[Int((start + Int64(index)) % Int64(key.count))] }
        return try mixed.withUnsafeBytes { try base.write($0) }
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
}
