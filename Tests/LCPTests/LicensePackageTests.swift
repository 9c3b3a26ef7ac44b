import Archives
import Cryptography
import FileProviderCore
import Foundation
import LCP
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import SampleBooks
import Testing

@Suite struct LicensePackageTests {
    private let path: ProviderPath
    private let folder: TemporaryFolder
    private let local: LocalFileProvider
    /// A book of 4 MB without its licence.
    private let book: Data

    init() throws {
        path = try ProviderPath("moby.epub")
        folder = try TemporaryFolder()
        local = try LocalFileProvider(root: folder.url)
        book = try ProtectedBooks.epub(license: nil, pictures: 20)
    }

    // MARK: Making things

    private func license(
        of data: Data, hash: String? = nil, length: Int64? = nil, type: String = "application/epub+zip",
        title: String? = nil, href: String = "https://books.example.org/moby.epub", id: String = "urn:carrel:licence:1",
        updated: Date? = nil
    ) throws -> LicenseDocument {
        try LicenseDocument(
            data: ProtectedBooks.license {
                $0.id = id
                $0.publicationHref = href
                $0.publicationType = type
                $0.publicationTitle = title
                $0.publicationLength = length ?? Int64(data.count)
                $0.publicationHash = hash ?? Digest(.sha256, of: data).hexadecimal
                $0.updated = updated
            })
    }

    private func packages(_ registry: ProviderRegistry) throws -> LicensePackage {
        LicensePackage(trust: try LicenseTrust(roots: [Data(LCPVectors.rootCertificatePEM.utf8)]), registry: registry)
    }

    private func names(in provider: any FileProvider) async throws -> [String] {
        try await provider.contentsOfDirectory(path: .root).map(\.name).sorted()
    }

    private func entry(_ name: String, of data: Data) async throws -> Data? {
        let archive = try await ZIPArchive.open(DataReader(data))
        guard let entry = archive.directory.entry(at: name) else { return nil }
        return try await archive.read(entry)
    }

    private func problem(_ body: () async throws -> Void) async -> LCPProblem.Kind? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? LCPProblem)?.kind
        }
    }

    /// A registry that leads every https address to `data`, as often as it is asked.
    private func web(_ data: Data) async throws -> ProviderRegistry {
        let (server, path) = (MemoryFileProvider(), try ProviderPath("moby.epub"))
        try await server.writeContents(path: path, contents: data)
        let registry = ProviderRegistry()
        try registry.register(
            ProviderRegistration(type: "web", schemes: ["https"]) { _, _ in
                ProviderLocation(provider: server, path: path)
            })
        return registry
    }

    // MARK: Acquiring

    @Test(arguments: [false, true], [false, true])
    func `a publication arrives with its licence`(resumes: Bool, isLocal: Bool) async throws {
        let provider: any FileProvider = isLocal ? local : MemoryFileProvider()
        let license = try license(of: book)
        let file = try await packages(web(book)).acquire(license, to: path, of: provider, resumes: resumes)
        let data = try await provider.contents(path: path)
        #expect(file.size == Int64(data.count))
        #expect(try await entry("META-INF/license.lcpl", of: data) == license.data)
        #expect(try await entry("OEBPS/more/19.jpg", of: data) == ProtectedBooks.picture)
        #expect(try await names(in: provider) == ["moby.epub"])
        let tested = TestedProtection()
        let opened = try await ProtectedBooks.open(data, by: tested.protection())
        #expect(opened.protection == .unlocked(.lcp) && tested.kinds.isEmpty)
        await opened.close()
    }

    @Test(.enabled(if: ZIPJudge.isAvailable, "Python is not installed"))
    func `another program reads the package`() async throws {
        let license = try license(of: book)
        try await packages(web(book)).acquire(license, to: path, of: local)
        let lines = try ZIPJudge.report(on: try await local.contents(path: path))
        #expect(lines.contains("mimetype 0 application/epub+zip") && !lines.contains("damaged"))
        #expect(lines.contains { $0.hasPrefix("META-INF/license.lcpl 0 {") })
    }

    @Test func `a package of Readium's has the licence at its root, whatever its type is said to be`() async throws {
        let package = try ProtectedBooks.readiumPackage("a.pdf", "application/pdf", Data("%PDF".utf8), license: nil)
        for type in ["application/pdf+lcp", "application/epub+zip"] {
            let license = try license(of: package, type: type)
            try await packages(web(package)).acquire(license, to: path, of: local, overwrite: true)
            let data = try await local.contents(path: path)
            #expect(try await entry("license.lcpl", of: data) == license.data)
            #expect(try await entry("META-INF/license.lcpl", of: data) == nil)
        }
    }

    @Test func `a licence in the downloaded package is replaced`() async throws {
        let other = try license(of: book, id: "urn:carrel:licence:2")
        let package = try ProtectedBooks.epub(license: other.data)
        let license = try license(of: package)
        try await packages(web(package)).acquire(license, to: path, of: local)
        #expect(try await entry("META-INF/license.lcpl", of: local.contents(path: path)) == license.data)
    }

    @Test func `a hash in capitals or in Base64 is right, too`() async throws {
        let digest = Digest(.sha256, of: book)
        for hash in [digest.hexadecimal.uppercased(), digest.base64] {
            let license = try license(of: book, hash: hash)
            try await packages(web(book)).acquire(license, to: path, of: local, overwrite: true)
        }
        let license = try license(of: book, hash: "1234")
        #expect(
            await problem { try await packages(web(book)).acquire(license, to: path, of: local, overwrite: true) }
                == .invalidLicense)
    }

    @Test(arguments: [false, true])
    func `a damaged download leaves nothing`(resumes: Bool) async throws {
        var changed = book
        changed[changed.count / 2] ^= 1
        let text = Data("<html>Log in</html>".utf8)
        let archive = try ZIPBuilder.data { try $0.store("a.txt", Data("a".utf8)) }
        let cases = [
            ("changed", changed, try license(of: book)), ("longer", book + Data([0]), try license(of: book)),
            ("cut off", book.prefix(book.count / 2), try license(of: book)),
            ("a page", text, try license(of: text)), ("no package", archive, try license(of: archive)),
        ]
        for (what, data, license) in cases {
            let kind = await problem {
                try await packages(web(data)).acquire(license, to: path, of: local, resumes: resumes)
            }
            #expect(kind == .damagedDownload, "\(what)")
            #expect(try await names(in: local).isEmpty, "\(what)")
        }
    }

    @Test func `the wrong length is found before the download`() async throws {
        let server = try OneFileServer(book)
        let license = try license(of: book, length: Int64(book.count) - 1)
        let registry = try server.registry()
        #expect(
            await problem { try await packages(registry).acquire(license, to: path, of: local) } == .damagedDownload)
        #expect(server.reader.bytes <= ZIPArchive.tailLength)
    }

    @Test func `the link of a licence that is not trusted is not followed`() async throws {
        let server = try OneFileServer(book)
        let forged = String(decoding: try license(of: book).data, as: UTF8.self).replacing(
            "urn:carrel:licence:1", with: "urn:carrel:licence:2")
        let license = try LicenseDocument(data: Data(forged.utf8))
        let registry = try server.registry()
        #expect(
            await problem { try await packages(registry).acquire(license, to: path, of: local) } == .invalidSignature)
        #expect(server.reader.trips == 0)
    }

    @Test func `a link to a file of this machine is refused`() async throws {
        let license = try license(of: book, href: "file:///etc/passwd")
        #expect(
            await problem { try await packages(web(book)).acquire(license, to: path, of: local) } == .noPublicationLink)
    }

    @Test(arguments: [false, true])
    func `a file that is there is replaced only if it may be`(resumes: Bool) async throws {
        try await local.writeContents(path: path, contents: Data("old".utf8))
        let license = try license(of: book)
        let packages = try packages(try await web(book))
        await #expect {
            try await packages.acquire(license, to: path, of: local, resumes: resumes)
        } throws: {
            $0.isFileExists
        }
        #expect(try await local.contents(path: path) == Data("old".utf8))
        try await packages.acquire(license, to: path, of: local, overwrite: true, resumes: resumes)
        #expect(try await entry("META-INF/license.lcpl", of: local.contents(path: path)) == license.data)
        #expect(try await names(in: local) == ["moby.epub"])
    }

    @Test func `a storage that fails in the middle keeps what was there`() async throws {
        try await local.writeContents(path: path, contents: Data("old".utf8))
        let failing = FailingStorage(local, after: 2 << 20)
        let license = try license(of: book)
        let packages = try packages(try await web(book))
        await #expect {
            try await packages.acquire(license, to: path, of: failing, overwrite: true)
        } throws: {
            ($0 as? CocoaError)?.code == .fileWriteOutOfSpace
        }
        #expect(try await local.contents(path: path) == Data("old".utf8))
        #expect(try await names(in: local) == ["moby.epub"])
    }

    @Test func `a download that stopped is continued`() async throws {
        let limit: Int64 = 2 << 20
        let license = try license(of: book)
        let packages = try packages(try await web(book))
        await #expect(throws: CocoaError.self) {
            try await packages.acquire(license, to: path, of: FailingStorage(local, after: limit), resumes: true)
        }
        let left = try await names(in: local)
        #expect(left.count == 1 && left.allSatisfy { TemporaryName.kind(of: $0) == .resumable })
        let reports = CollectedValues<Int64>()
        try await packages.acquire(
            license, to: path, of: local, resumes: true, progress: ProgressReporter { done, _ in reports.append(done) })
        // The first report counts the bytes that were there.
        #expect(reports.values.first { $0 > 0 } ?? 0 > limit / 2)
        #expect(reports.values.last == Int64(book.count))
        #expect(try await entry("META-INF/license.lcpl", of: local.contents(path: path)) == license.data)
        #expect(try await names(in: local) == ["moby.epub"])
    }

    @Test func `a cancelled download leaves nothing`() async throws {
        // Nobody finishes the stream; cancellation ends the wait.
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let reader = try CountingReader(SparseData(book), name: "moby.epub", hold: { for await _ in stream {} })
        let registry = ProviderRegistry()
        let server = HeldServer(reader)
        try registry.register(
            ProviderRegistration(type: "web", schemes: ["https"]) { _, _ in
                ProviderLocation(provider: server, path: reader.path)
            })
        let license = try license(of: book)
        let (packages, path, local) = (try packages(registry), path, local)
        let task = Task { try await packages.acquire(license, to: path, of: local) }
        try await eventually { reader.requests.count > 1 }
        task.cancel()
        let result = await task.result
        #expect(throws: (any Error).self) { try result.get() }
        #expect(try await names(in: local).isEmpty)
        continuation.finish()
    }

    @Test func `the form with a completion handler has a Progress in bytes`() async throws {
        let license = try license(of: book)
        let packages = try packages(try await web(book))
        let (stream, continuation) = AsyncStream.makeStream(of: Result<FileObject, any Error>.self)
        let progress = packages.acquire(license, to: path, of: local) { continuation.yield($0) }
        var results = stream.makeAsyncIterator()
        let file = try #require(await results.next()).get()
        #expect(progress.isFinished && progress.completedUnitCount == file.size)
    }

    // MARK: Replacing

    private func placed(_ license: LicenseDocument, in provider: any FileProvider) async throws -> Data {
        let data = try ProtectedBooks.epub(license: license.data, pictures: 20)
        try await provider.writeContents(path: path, contents: data)
        return data
    }

    private let later = Date(timeIntervalSince1970: 1_775_000_000)

    @Test(arguments: [false, true])
    func `a newer licence takes the place of the old one`(isLocal: Bool) async throws {
        let provider: any FileProvider = isLocal ? local : MemoryFileProvider()
        let old = try await placed(license(of: book), in: provider)
        let newer = try license(of: book, updated: later)
        let packages = try packages(ProviderRegistry())
        try await packages.replaceLicense(in: path, of: provider, with: newer)
        let data = try await provider.contents(path: path)
        #expect(try await entry("META-INF/license.lcpl", of: data) == newer.data)
        #expect(try await entry("OEBPS/p.jpg", of: data) == entry("OEBPS/p.jpg", of: old))
        #expect(try await names(in: provider) == ["moby.epub"])
        // The same again writes nothing.
        let before = try await provider.attributesOfItem(path: path)
        let after = try await packages.replaceLicense(in: path, of: provider, with: newer)
        #expect(after.size == before.size && after.modifiedDate == before.modifiedDate)
    }

    @Test func `a newer licence takes the place of one that is alone`() async throws {
        try await local.writeContents(path: path, contents: license(of: book).data)
        let newer = try license(of: book, updated: later)
        try await packages(ProviderRegistry()).replaceLicense(in: path, of: local, with: newer)
        #expect(try await local.contents(path: path) == newer.data)
    }

    @Test func `another licence, an older one and a file without one are refused`() async throws {
        let packages = try packages(ProviderRegistry())
        let current = try license(of: book, updated: later)
        let old = try await placed(current, in: local)
        for license in [try license(of: book, id: "urn:carrel:licence:2", updated: later), try license(of: book)] {
            #expect(
                await problem { try await packages.replaceLicense(in: path, of: local, with: license) }
                    == .invalidLicense)
        }
        #expect(try await local.contents(path: path) == old)
        for data in [book, Data("text".utf8)] {
            try await local.writeContents(path: path, contents: data, overwrite: true)
            #expect(
                await problem { try await packages.replaceLicense(in: path, of: local, with: current) }
                    == .damagedPackage)
            #expect(try await local.contents(path: path) == data)
        }
    }

    @Test func `a replacement that fails in the middle keeps the old package whole`() async throws {
        let old = try await placed(license(of: book), in: local)
        let newer = try license(of: book, updated: later)
        let packages = try packages(ProviderRegistry())
        for limit in [0, 1 << 20, Int64(old.count) - 100] {
            await #expect {
                try await packages.replaceLicense(in: path, of: FailingStorage(local, after: limit), with: newer)
            } throws: {
                ($0 as? CocoaError)?.code == .fileWriteOutOfSpace
            }
            #expect(try await local.contents(path: path) == old, "\(limit)")
            #expect(try await names(in: local) == ["moby.epub"], "\(limit)")
        }
    }

    @Test func `the licence of a package and a licence alone are read`() async throws {
        let license = try license(of: book)
        _ = try await placed(license, in: local)
        #expect(try await LicensePackage.license(at: path, of: local) == license)
        for data in [license.data, Data("\n".utf8) + license.data] {
            try await local.writeContents(path: path, contents: data, overwrite: true)
            #expect(try await LicensePackage.license(at: path, of: local).id == license.id)
        }
        for data in [book, Data("text".utf8), Data()] {
            try await local.writeContents(path: path, contents: data, overwrite: true)
            #expect(await problem { _ = try await LicensePackage.license(at: path, of: local) } == .damagedPackage)
        }
    }

    // MARK: Names

    @Test(arguments: [
        ("Moby-Dick; or, The Whale", "application/epub+zip", "Moby-Dick; or, The Whale.epub"),
        ("../../etc/passwd", "application/pdf+lcp", "etc passwd.lcpdf"),
        ("A\u{202E}fdp.exe", "application/audiobook+lcp", "Afdp.exe.lcpa"),
        ("  What: is \"it\"?\n", "application/audiobook+zip", "What is it.audiobook"),
        ("CON", "application/webpub+zip", "_CON.webpub"),
        ("می\u{200C}خواهم", "application/divina+zip", "می\u{200C}خواهم.divina"),
        ("...", "application/octet-stream", "moby.epub"), (nil, "text/html", "moby.epub"),
    ])
    func `a name is suggested`(title: String?, type: String, name: String) throws {
        #expect(LicensePackage.suggestedName(for: try license(of: book, type: type, title: title)) == name)
    }

    @Test func `a long title is cut between characters`() throws {
        let license = try license(of: book, title: String(repeating: "é", count: 500))
        let name = LicensePackage.suggestedName(for: license)
        #expect(name == String(repeating: "é", count: 75) + ".epub")
    }
}

/// A storage whose writes run out of space after some bytes.
private final class FailingStorage: ForwardingProvider {
    static let type = "Failing"
    let underlying: any FileProvider
    private let limit: Int64

    init(_ underlying: any FileProvider, after limit: Int64) {
        self.underlying = underlying
        self.limit = limit
    }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        try await underlying.writeContents(
            path: path, from: TappedSource(source, FailingTap(after: limit)), options: options)
    }
}

private final class FailingTap: CopyTap {
    private let rest: LockedValue<Int64>

    init(after limit: Int64) { rest = LockedValue(limit) }

    func pass(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let isOver = rest.update { rest in
            rest -= Int64(bytes.count)
            return rest < 0
        }
        if isOver { throw CocoaError(.fileWriteOutOfSpace) }
        return .ready
    }
}

/// A server whose only file is `reader`'s.
private final class HeldServer: ForwardingProvider {
    static let type = "Held"
    let underlying: any FileProvider = MemoryFileProvider()
    private let reader: CountingReader

    init(_ reader: CountingReader) { self.reader = reader }

    func open(path: ProviderPath) async throws -> any FileReader { reader }
}
