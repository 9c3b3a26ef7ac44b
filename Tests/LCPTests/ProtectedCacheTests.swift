import FileProviderCore
import Foundation
import ProviderDoubles
import Publication
import PublicationCache
import SampleBooks
import Testing

@testable import LCP

/// Encrypted resources by address; unavailable once the medium is gone.
private final class EncryptedMedium: Fetcher {
    private let files: [String: Data]
    private let isGone = LockedValue(false)

    init(_ files: [String: Data]) { self.files = files }

    func leave() { isGone.update { $0 = true } }

    func links() async throws -> [Link] { files.keys.sorted().map { Link(href: $0) } }

    func get(_ link: Link) -> any Resource {
        guard !isGone.value, let data = files[link.href] else {
            let error = FileError.make(URLError.Code.networkConnectionLost, url: nil, sentence: "The line is dead.")
            return FailureResource(link, error: error)
        }
        return CountedResource(data, at: link)
    }
}

/// Passes everything on, as a transformation does.
private final class WrappedResource: Resource {
    private let base: any Resource

    init(_ base: any Resource) { self.base = base }

    var link: Link { base.link }

    func length() async throws -> Int64 { try await base.length() }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        try await base.stream(range, into: sink)
    }
}

@Suite struct ProtectedCacheTests {
    private let folder: TemporaryFolder
    private let plain = ["a.bin": Data.letters(700_001), "b.bin": Data.letters(800_000..<1_100_000)]
    private let medium: EncryptedMedium
    private let decryptor: LicenseDecryptor

    init() throws {
        folder = try TemporaryFolder()
        var files: [String: Data] = [:]
        for (name, data) in plain { files[name] = ProtectedPackages.encrypted(data, isDeflated: name == "b.bin") }
        files["c.bin"] = .letters(1_200_000..<1_400_000)
        medium = EncryptedMedium(files)
        decryptor = LicenseDecryptor(key: LicenseKey(contentKey: Array(LCPVectors.contentKey))) { link in
            if link.href == "c.bin" { return nil }
            return Encryption(
                algorithm: ProtectedPackages.algorithm, compression: link.href == "b.bin" ? "deflate" : nil,
                scheme: "http://readium.org/2014/01/lcp")
        }
    }

    private func fetcher(isWrapped: Bool = false) -> CachingFetcher {
        let transformer = decryptor.transformer
        let decrypting = TransformingFetcher(medium) { resource in
            let decrypted = transformer(resource)
            return isWrapped ? WrappedResource(decrypted) : decrypted
        }
        return CachingFetcher(decrypting, cache: ResourceCache(folder: folder.url, capacity: 1 << 30), scope: "book")
    }

    /// The contents of all files of the cache.
    private func stored() throws -> [Data] {
        let files = FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }
        return try (files ?? []).map { try Data(contentsOf: $0) }
    }

    /// Whether anything of `data` is in a file of the cache: 20 letters from many places.
    private func isStored(_ data: Data) throws -> Bool {
        let files = try stored()
        return stride(from: 0, to: data.count - 20, by: data.count / 5).contains { start in
            let letters = data.dropFirst(start).prefix(20)
            return files.contains { $0.range(of: letters) != nil }
        }
    }

    @Test func `nothing decrypted is in the folder of a cache after a book was read through it`() async throws {
        let fetcher = fetcher()
        for (name, data) in plain {
            #expect(try await fetcher.get(name).read(1000..<2000) == data.part(1000..<2000))
            #expect(try await fetcher.get(name).read() == data)
            #expect(try await fetcher.get(name).length() == Int64(data.count))
        }
        let clear = try await fetcher.get("c.bin").read()
        await fetcher.close()
        for data in plain.values { #expect(try !isStored(data)) }
        // The search finds what is there.
        #expect(try isStored(clear))
        #expect(try isStored(ProtectedPackages.encrypted(plain["a.bin"] ?? Data())))
    }

    @Test func `what was preloaded is read without the medium, and decrypted`() async throws {
        try await fetcher().preload(["a.bin", "b.bin", "c.bin"].map { Link(href: $0) })
        for data in plain.values { #expect(try !isStored(data)) }
        medium.leave()
        for (name, data) in plain {
            let resource = fetcher().get(name)
            #expect(try await resource.read() == data)
            #expect(try await resource.read(5..<50_000) == data.part(5..<50_000))
            await resource.close()
        }
    }

    @Test func `what was decrypted and then wrapped passes the cache by`() async throws {
        let fetcher = fetcher(isWrapped: true)
        try await fetcher.preload(["a.bin", "c.bin"].map { Link(href: $0) })
        let data = try #require(plain["a.bin"])
        #expect(try await fetcher.get("a.bin").read() == data)
        #expect(try !isStored(data))
        let clear = try await fetcher.get("c.bin").read()
        #expect(try isStored(clear))
        medium.leave()
        await #expect(throws: URLError.self) { try await self.fetcher(isWrapped: true).get("a.bin").read() }
    }
}
