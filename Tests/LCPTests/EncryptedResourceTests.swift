import Archives
import FileProviderCore
import Foundation
import ProviderDoubles
import Publication
import SampleBooks
import Testing

@testable import LCP

private let mebibyte = 1 << 20

@Suite struct EncryptedResourceTests {
    /// A range may cost one read, and 46 bytes more than were asked for.
    private func check(_ range: Range<Int64>, of book: Decrypting, _ plain: Data) async throws {
        let (requests, bytes) = (book.base.requests.count, book.base.bytes)
        let read = try await book.resource.read(range)
        guard read == plain.part(range) else {
            Issue.record("\(range) of \(plain.count) bytes has \(read.count) bytes that are not the plain ones")
            return
        }
        let cost = (requests: book.base.requests.count - requests, bytes: book.base.bytes - bytes)
        if cost.requests > 1 || cost.bytes > Int64(range.clamped(to: 0..<Int64.max).count + 46) {
            Issue.record("\(range) of \(plain.count) bytes cost \(cost)")
        }
    }

    @Test(arguments: [nil, mebibyte] as [Int?])
    func `every range around each border of a mebibyte is the plain one, for one read`(length: Int?) async throws {
        let plain = Data.letters(mebibyte)
        let cipher = ProtectedPackages.encrypted(plain)
        let counts: [Int64] = [1, 2, 14, 15, 16, 17, 18, 31, 32, 33, 47, 48, 49]
        let book = Decrypting(cipher, length: length)
        for index in 0...mebibyte / 16 {
            let start = Int64(index * 16 + index % 3 - 1)
            try await check(start..<start + counts[index % counts.count], of: book, plain)
        }
    }

    @Test(arguments: [0, 1, 15, 16, 17, 31, 32, 33], [true, false])
    func `every range of a small resource is the plain one`(size: Int, hasLength: Bool) async throws {
        let plain = Data.letters(size)
        let cipher = ProtectedPackages.encrypted(plain)
        for start in -2...size + 20 {
            for end in start...size + 22 {
                let book = Decrypting(cipher, length: hasLength ? size : nil, piece: (end + 19) % 19 + 1)
                try await check(Int64(start)..<Int64(end), of: book, plain)
            }
        }
        let book = Decrypting(cipher)
        #expect(try await book.resource.read() == plain)
        #expect(try await book.resource.length() == Int64(size))
        #expect(book.base.requests.count == 1)
    }

    @Test(arguments: [mebibyte - 1, mebibyte, mebibyte + 1], [7, 16, 4_099, 262_144, 4 << 20])
    func `a resource is the plain one in whatever pieces it comes`(size: Int, piece: Int) async throws {
        let plain = Data.letters(size)
        let book = Decrypting(ProtectedPackages.encrypted(plain), piece: piece)
        #expect(try await book.resource.read() == plain)
        #expect(try await book.resource.length() == Int64(size))
        #expect(book.base.requests.count == 1)
        let end = Int64(size)
        let ranges: [Range<Int64>] = [
            0..<end, end - 1..<end, end - 300_001..<end + 5, 5..<300_006, end..<end + 1, 0..<Int64.max,
        ]
        for range in ranges {
            #expect(try await book.resource.read(range) == plain.part(range), "\(range)")
        }
    }

    @Test func `the length costs nothing if it is declared, else the last 32 bytes, once`() async throws {
        let plain = Data.letters(70_007)
        let cipher = ProtectedPackages.encrypted(plain)
        let declared = Decrypting(cipher, length: plain.count)
        #expect(try await declared.resource.length() == 70_007)
        #expect(declared.base.requests.isEmpty && declared.resource.link.size == 70_007)
        let silent = Decrypting(cipher)
        for _ in 0..<3 { #expect(try await silent.resource.length() == 70_007) }
        #expect(silent.base.requests == [Int64(cipher.count - 32)..<Int64(cipher.count)])
        #expect(silent.resource.link.size == nil)
        #expect(silent.resource.link.properties.encryption?.scheme == "http://readium.org/2014/01/lcp")
    }

    @Test func `a declared length that is impossible is ignored, and one that is wrong is an error`() async throws {
        let plain = Data.letters(1000)
        let cipher = ProtectedPackages.encrypted(plain)
        for length in [1, 991, 1008, Int.max] {
            let book = Decrypting(cipher, length: length)
            #expect(try await book.resource.length() == 1000, "\(length)")
            #expect(try await book.resource.read() == plain)
        }
        for length in [992, 999, 1001, 1007] {
            let book = Decrypting(cipher, length: length)
            #expect(await book.failure() == .fileReadCorruptFile, "\(length)")
            #expect(try await book.resource.read(10..<900) == plain.part(10..<900))
        }
    }

    @Test func `of a wrong key, reading to the end says so`() async throws {
        let cipher = ProtectedPackages.encrypted(.letters(1000))
        var failures = 0
        for seed in 1...8 {
            let key = SampleCipher.hash(Data("wrong \(seed)".utf8))
            let isDamaged = await Decrypting(cipher, length: 1000, key: key).failure() == .fileReadCorruptFile
            failures += isDamaged ? 1 : 0
        }
        // One in 256 wrong keys makes the right padding.
        #expect(failures >= 7)
    }

    @Test(arguments: [1, 15, 16, 17, 500])
    func `a cipher text that is cut off is damaged`(missing: Int) async throws {
        let cipher = ProtectedPackages.encrypted(.letters(1000))
        let book = Decrypting(cipher.dropLast(missing), length: 1000)
        #expect(await book.failure() == .fileReadCorruptFile)
        // The medium says one length and has another.
        #expect(await Decrypting(cipher, missing: missing).failure() == .fileReadCorruptFile)
        #expect(await Decrypting(cipher, missing: missing).failure(100..<200) == .fileReadCorruptFile)
    }

    @Test(arguments: [0, 1, 16, 31, 33, 1000, 1001])
    func `a resource that is declared as encrypted and is not is passed on`(size: Int) async throws {
        let plain = Data.letters(size)
        for compression in [nil, "deflate"] {
            let book = Decrypting(plain, compression: compression)
            // 1000 is no multiple of 16.
            #expect(try await book.resource.read() == plain)
            #expect(try await book.resource.length() == Int64(size))
            #expect(try await book.resource.read(3..<20) == plain.part(3..<20))
        }
    }

    @Test func `other algorithms and compressions are refused by name`() async throws {
        let cipher = ProtectedPackages.encrypted(.letters(100))
        let algorithm = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
        for book in [Decrypting(cipher, algorithm: algorithm), Decrypting(cipher, compression: "brotli")] {
            let error = await #expect(throws: CocoaError.self) { try await book.resource.read() }
            #expect(error?.code == .featureUnsupported)
            #expect(["aes128-cbc", "brotli"].contains { error?.localizedDescription.contains($0) == true })
            #expect(book.base.requests.isEmpty)
        }
    }

    @Test func `a sink that has enough is waited for, and knows the length of what is short`() async throws {
        let plain = Data.letters(400_000)
        let book = Decrypting(ProtectedPackages.encrypted(plain))
        let sink = HeldSink(after: 100_000, until: { true })
        try await book.resource.stream(nil, into: sink)
        #expect(sink.data == plain)
        #expect(sink.extents == [FileExtent(offset: 0, count: -1, size: -1)])
        let short = HeldSink(after: 10, until: { true })
        try await Decrypting(ProtectedPackages.encrypted(plain)).resource.stream(399_000..<500_000, into: short)
        #expect(short.extents == [FileExtent(offset: 399_000, count: 1000, size: 400_000)])
        #expect(short.data == plain.part(399_000..<400_000))
    }

    @Test func `the resources of openssl are decrypted`() async throws {
        let stored = Decrypting(LCPVectors.encryptedResource)
        #expect(try await stored.resource.read() == LCPVectors.resource)
        let deflated = Decrypting(
            LCPVectors.deflatedResource, length: LCPVectors.largerResource.count, compression: "deflate")
        #expect(try await deflated.resource.read() == LCPVectors.largerResource)
        #expect(try await deflated.resource.read(700..<800) == LCPVectors.largerResource.part(700..<800))
    }
}

@Suite struct InflatedResourceTests {
    private let plain = Data.letters(5 * mebibyte + 123)

    @Test(arguments: [true, false])
    func `every range of a resource that was deflated is the plain one`(hasLength: Bool) async throws {
        let cipher = ProtectedPackages.encrypted(plain, isDeflated: true)
        let book = Decrypting(cipher, length: hasLength ? plain.count : nil, compression: "deflate")
        let end = Int64(plain.count)
        let ranges: [Range<Int64>] = [
            3_000_000..<3_000_100, 0..<1, end - 1..<end, 15..<70_000, end - 5..<end + 9, -5..<3, end..<end + 1,
        ]
        for range in ranges {
            #expect(try await book.resource.read(range) == plain.part(range), "\(range)")
        }
        #expect(try await book.resource.length() == end)
        #expect(try await book.resource.read() == plain)
    }

    @Test func `a range begins at a checkpoint once its surroundings were read, also in another proxy`() async throws {
        let cipher = ProtectedPackages.encrypted(plain, isDeflated: true)
        let encryption = Encryption(
            algorithm: ProtectedPackages.algorithm, compression: "deflate", originalLength: Int64(plain.count))
        let decryptor = LicenseDecryptor(key: LicenseKey(contentKey: Array(LCPVectors.contentKey))) { _ in encryption }
        let first = CountedResource(cipher)
        #expect(try await decryptor.transformer(first).read() == plain)
        #expect(first.requests.count == 1)
        let second = CountedResource(cipher)
        let range: Range<Int64> = 4_500_000..<4_500_100
        #expect(try await decryptor.transformer(second).read(range) == plain.part(range))
        #expect(second.bytes < 5 << 18, "\(second.requests)")
        // Without a version, another proxy may have other bytes.
        let unknown = CountedResource(cipher, tag: nil)
        #expect(try await decryptor.transformer(unknown).read(range) == plain.part(range))
        #expect(unknown.bytes > 2 << 20)
    }

    @Test func `a wrong length, a wrong key and data that is cut off are errors`() async throws {
        let small = plain.prefix(100_000)
        let cipher = ProtectedPackages.encrypted(small, isDeflated: true)
        for length in [99_999, 100_001] {
            let book = Decrypting(cipher, length: length, compression: "deflate")
            #expect(await book.failure() == .fileReadCorruptFile, "\(length)")
            #expect(await book.failure(90_000..<Int64(length)) == .fileReadCorruptFile, "\(length)")
        }
        let key = SampleCipher.hash(Data("wrong".utf8))
        let locked = Decrypting(cipher, length: 100_000, compression: "deflate", key: key)
        #expect(await locked.failure() == .fileReadCorruptFile)
        let half = Decrypting(cipher.prefix(32_000), length: 100_000, compression: "deflate")
        #expect(await half.failure() == .fileReadCorruptFile)
        #expect(await half.failure(60_000..<60_010) == .fileReadCorruptFile)
    }

    @Test func `data that becomes far too large is refused before it does`() async throws {
        let cipher = ProtectedPackages.encrypted(Data(count: 64 << 20), isDeflated: true)
        #expect(cipher.count < 100_000)
        for length in [nil, 64 << 20] {
            let book = Decrypting(cipher, length: length, compression: "deflate")
            #expect(await book.failure() == .fileReadTooLarge)
            #expect(await book.failure((60 << 20)..<(60 << 20) + 5) == .fileReadTooLarge)
        }
    }

    @Test func `an empty resource that was deflated is empty`() async throws {
        let book = Decrypting(ProtectedPackages.encrypted(Data(), isDeflated: true), compression: "deflate")
        #expect(try await book.resource.read().isEmpty)
        #expect(try await book.resource.length() == 0)
        #expect(try await book.resource.read(0..<10).isEmpty)
    }
}
