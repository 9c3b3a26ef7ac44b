import FileProviderCore
import Foundation
import Publication
import SampleBooks

@testable import LCP

/// A resource in memory that comes in pieces of any size, and counts what is read.
final class CountedResource: Resource {
    let link: Link
    private let data: Data
    private let piece: Int
    private let missing: Int
    private let tag: String?
    private let asked = LockedValue((requests: [Range<Int64>](), bytes: Int64(0)))

    /// - Parameter missing: How many bytes of each answer do not come.
    init(_ data: Data, at link: Link = Link(href: "a.bin"), piece: Int = 16_381, missing: Int = 0, tag: String? = "1") {
        self.link = link
        self.data = data
        self.piece = piece
        self.missing = missing
        self.tag = tag
    }

    /// What was read, in order.
    var requests: [Range<Int64>] { asked.value.requests }
    /// Bytes that were read.
    var bytes: Int64 { asked.value.bytes }

    func length() async throws -> Int64 { Int64(data.count) }

    func validator() async throws -> ResourceValidator? { ResourceValidator(length: Int64(data.count), tag: tag) }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        let size = Int64(data.count)
        let range = (range ?? 0..<size).clamped(to: 0..<size)
        asked.update { asked in
            asked.requests.append(range)
            asked.bytes += Int64(range.count)
        }
        try sink.begin(FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size))
        let end = max(Int(range.lowerBound), Int(range.upperBound) - missing)
        for start in stride(from: Int(range.lowerBound), to: end, by: piece) {
            try Task.checkCancellation()
            let part = data[start..<min(start + piece, end)]
            if try part.withUnsafeBytes({ try sink.write($0) }) == .wait { try await sink.waitUntilReady() }
        }
    }
}

/// An encrypted resource and what is below it.
struct Decrypting {
    let base: CountedResource
    let resource: any Resource

    /// - Parameters:
    ///   - cipher: What is stored.
    ///   - length: What is declared as the length of the plain bytes.
    init(
        _ cipher: Data, length: Int? = nil, compression: String? = nil, key: Data = LCPVectors.contentKey,
        algorithm: String = ProtectedPackages.algorithm, piece: Int = 16_381, missing: Int = 0, tag: String? = "1"
    ) {
        let encryption = Encryption(
            algorithm: algorithm, compression: compression, originalLength: length.map { Int64($0) },
            scheme: "http://readium.org/2014/01/lcp")
        let decryptor = LicenseDecryptor(key: LicenseKey(contentKey: Array(key))) { _ in encryption }
        base = CountedResource(cipher, piece: piece, missing: missing, tag: tag)
        resource = decryptor.transformer(base)
    }

    /// The code of the error with which reading fails; nil if it succeeds.
    func failure(_ range: Range<Int64>? = nil) async -> CocoaError.Code? {
        do {
            _ = try await resource.read(range)
            return nil
        } catch {
            return (error as? CocoaError)?.code ?? .fileReadUnknown
        }
    }
}

extension Data {
    /// Letters that hardly repeat, the same each time, and none of them a length of padding.
    static func letters(_ range: Range<Int>) -> Data { Data(manyLetters[range]) }

    /// The first of them.
    static func letters(_ count: Int) -> Data { letters(0..<count) }

    private static let manyLetters: Data = {
        var numbers = SeededNumbers(seed: 40)
        return Data(numbers.bytes(4_200_000).base64EncodedString().utf8)
    }()

    /// The bytes in a range, clamped.
    func part(_ range: Range<Int64>) -> Data {
        let range = range.clamped(to: 0..<Int64(count))
        return Data(dropFirst(Int(range.lowerBound)).prefix(range.count))
    }
}
