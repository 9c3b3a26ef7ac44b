import Cryptography
import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

@testable import ShelfServer

@Suite struct KOReaderDigestTests {
    private func digest(_ data: Data) async throws -> String {
        try await DocumentDigest.binary(CountingReader(SparseData(data)))
    }

    @Test func `a kibibyte at each power of four is a part of the digest`() async throws {
        let data = Data.patterned(5_000_000)
        let offsets = [0, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304]
        let parts = offsets.map { data[$0..<$0 + 1_024] }
        #expect(try await digest(data) == Digest(.md5, of: Data(parts.joined())).hexadecimal)
        var changed = data
        changed[1_000_000] ^= 1
        #expect(try await digest(changed) == digest(data))
        changed[1_048_577] ^= 1
        #expect(try await digest(changed) != digest(data))
    }

    @Test(arguments: [0, 1, 1_024, 1_030, 4_096, 5_000])
    func `a short file ends the digest early`(size: Int) async throws {
        let data = Data.patterned(size)
        let parts = [0..<1_024, 1_024..<2_048, 4_096..<5_120].map { data[$0.clamped(to: 0..<size)] }
        #expect(try await digest(data) == Digest(.md5, of: Data(parts.joined())).hexadecimal)
    }

    @Test func `the last part is at one gibibyte`() {
        #expect(DocumentDigest.offsets.count == 12 && DocumentDigest.offsets.last == 1 << 30)
    }

    @Test func `a large file costs few reads`() async throws {
        let reader = try CountingReader(SparseData(hole: 2 << 30))
        _ = try await DocumentDigest.binary(reader)
        #expect(reader.trips <= 13)
    }

    /// The digest of a file on a device, as its owner reported it (Calibre-Web-NextGen, issue 525).
    @Test func `a name counts with its extension`() {
        let name = "More Everything Forever - Adam Becker.epub"
        #expect(DocumentDigest.name(name) == "9ea1b31e133214bb1169acce6ff4affb")
    }
}
