import Cryptography
import FileProviderCore
import Foundation
import Shelf

/// The names under which KOReader knows a file: a digest of parts of it, or of its name, as its user chooses.
///
/// Source: KOReader's pull requests 7840 and 11003, and its wiki page "Progress sync".
enum DocumentDigest {
    /// 1 KiB each, at the start and at 1 KiB times the powers of 4 up to 4¹⁰, which is 1 GiB. KOReader computes the first
    /// offset as `1024 << -2`, which is 0 in 32 bits.
    static let offsets: [Int64] = [0] + (0...10).map { (1_024 as Int64) << (2 * $0) }
    static let length: Int64 = 1_024

    /// Returns MD5 of the parts of a file, in hexadecimal digits.
    ///
    /// - Throws: Errors of the storage.
    /// - Complexity: The parts behind the end of the file are not read. Of a file of 5 MB these are four requests, or
    ///   less if the storage reads parts together.
    static func binary(_ reader: any FileReader) async throws -> String {
        let size = try await reader.attributes().size
        let parts = offsets.filter { $0 < size }.map { $0..<min($0 + length, size) }
        let data = try await (parts.isEmpty ? [] : reader.read(parts))
        return Digest(.md5, of: data.reduce(into: Data()) { $0 += $1 }).hexadecimal
    }

    /// Returns MD5 of a file's name with its extension, in hexadecimal digits.
    static func name(_ name: String) -> String { Digest(.md5, of: Data(name.utf8)).hexadecimal }

    /// The digests of the names that a book's file has: in its storage, and as a download.
    static func names(of book: ShelfBook) -> [String] { [name(BookName.file(of: book)), name(book.path.name)] }

    /// Whether it can be a digest of either kind.
    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
