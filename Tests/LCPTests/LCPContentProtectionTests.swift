import FileProviderCore
import Foundation
import MediaTypes
import ProviderDoubles
import Publication
import SampleBooks
import Testing

import LCP

@Suite struct LCPContentProtectionTests {
    private let chapter = Data(ProtectedBooks.chapter.utf8)

    @Test func `a protected EPUB opens unlocked, and its resources read as the plain ones`() async throws {
        let tested = TestedProtection()
        let data = try ProtectedBooks.epub(license: ProtectedBooks.license())
        let book = try await ProtectedBooks.open(data, by: tested.protection())
        #expect(book.protection == .unlocked(.lcp) && tested.kinds.isEmpty && book.warnings.isEmpty)
        #expect(book.metadata.title == "Moby-Dick" && book.tableOfContents.map(\.title) == ["Loomings"])
        #expect(book.fetcherTree.contains("decryption: ArchiveFetcher"))
        #expect(try await book.get("OEBPS/c1.xhtml").read() == chapter)
        #expect(try await book.get("/OEBPS/%631.xhtml#x").read(5..<50) == chapter[5..<50])
        let picture = book.get("OEBPS/p.jpg")
        #expect(try await picture.length() == Int64(ProtectedBooks.picture.count))
        for range in [0..<1, 15..<17, 16..<32, 100_001..<150_000, 200_000..<200_005, 200_004..<300_000] {
            let expected = ProtectedBooks.picture.dropFirst(range.lowerBound).prefix(range.count)
            #expect(
                try await picture.read(Int64(range.lowerBound)..<Int64(range.upperBound)) == Data(expected), "\(range)")
        }
        #expect(try await book.get("OEBPS/nav.xhtml").readAsString() == ProtectedBooks.navigation)
        await book.close()
    }

    @Test func `an unprotected book and one under another protection are left alone`() async throws {
        let tested = TestedProtection()
        let plain = try await ProtectedBooks.open(
            ProtectedBooks.epub(license: nil, isProtected: false), by: tested.protection())
        #expect(plain.protection == nil)
        // Without its licence, detection says what protects the book.
        let bare = try await ProtectedBooks.open(ProtectedBooks.epub(license: nil), by: tested.protection())
        #expect(bare.protection?.scheme == .lcp && bare.protection?.isLocked == true)
        #expect(tested.kinds.isEmpty)
    }

    @Test func `the store is opened once a book has a licence, and once only`() async throws {
        let openings = CollectedValues<Int>()
        let store = DeferredLicenseStore {
            openings.append(1)
            return MemoryLicenseStore()
        }
        let tested = TestedProtection(store: store)
        let plain = try ProtectedBooks.epub(license: nil, isProtected: false)
        #expect(try await ProtectedBooks.open(plain, by: tested.protection()).protection == nil)
        #expect(openings.values.isEmpty)
        let license = try ProtectedBooks.license { $0.end = Date(timeIntervalSince1970: 1_790_000_000) }
        for _ in 0..<2 {
            let book = try await ProtectedBooks.open(ProtectedBooks.epub(license: license), by: tested.protection())
            #expect(book.protection == .unlocked(.lcp))
        }
        #expect(openings.values == [1])
        let id = try LicenseDocument(data: license).id
        #expect(try await store.lastSeen(id) == tested.now)
    }

    @Test func `without a passphrase a book opens to its metadata, and says why`() async throws {
        let cases: [(String?, LCPProblem.Kind)] = [(nil, .passphraseNeeded), ("black", .wrongPassphrase)]
        for (passphrase, kind) in cases {
            let tested = TestedProtection(passphrase: passphrase)
            let data = try ProtectedBooks.epub(license: ProtectedBooks.license())
            let book = try await ProtectedBooks.open(data, by: tested.protection())
            let reason = LCPProblem(kind).sentence
            #expect(book.protection == .locked(.lcp, reason: reason) && tested.kinds == [kind])
            #expect(book.metadata.title == "Moby-Dick" && book.tableOfContents.count == 1)
            await #expect { _ = try await book.get("OEBPS/c1.xhtml").read(0..<4) } throws: {
                $0.resourceFailure == .forbidden && $0.sentence.hasSuffix(reason)
            }
            #expect(try await book.get("OEBPS/nav.xhtml").readAsString() == ProtectedBooks.navigation)
        }
    }

    @Test func `a licence is used between its start and its end`() async throws {
        let (start, end) = (Date(timeIntervalSince1970: 1_770_000_000), Date(timeIntervalSince1970: 1_790_000_000))
        let data = try ProtectedBooks.epub(
            license: ProtectedBooks.license {
                $0.start = start
                $0.end = end
            })
        let cases: [(TimeInterval, LCPProblem.Kind?)] = [
            (-1, .notStarted(start)), (0, nil), (20_000_000, nil), (20_000_001, .expired(end)),
        ]
        for (seconds, kind) in cases {
            let tested = TestedProtection(now: start + seconds)
            let book = try await ProtectedBooks.open(data, by: tested.protection())
            #expect(book.protection?.isLocked == (kind != nil), "\(seconds)")
            #expect(tested.kinds == [kind].compactMap(\.self) && book.metadata.title == "Moby-Dick")
        }
    }

    @Test func `a clock that was set back is noticed, but not one that was corrected`() async throws {
        let store = MemoryLicenseStore()
        let start = Date(timeIntervalSince1970: 1_780_000_000)
        let data = try ProtectedBooks.epub(license: ProtectedBooks.license { $0.end = start + 10_000 })
        func kinds(after seconds: TimeInterval, _ data: Data) async throws -> [LCPProblem.Kind] {
            let tested = TestedProtection(store: store, now: start + seconds)
            _ = try await ProtectedBooks.open(data, by: tested.protection())
            return tested.kinds
        }
        #expect(try await kinds(after: 0, data).isEmpty)
        #expect(try await kinds(after: -300, data).isEmpty)
        #expect(try await kinds(after: -301, data) == [.clockSetBack])
        #expect(try await kinds(after: 10_001, data) == [.expired(start + 10_000)])
        // Reading on by setting the clock back after the end.
        #expect(try await kinds(after: 5_000, data) == [.clockSetBack])
        let endless = try ProtectedBooks.epub(license: ProtectedBooks.license())
        #expect(try await kinds(after: -100_000, endless).isEmpty)
    }

    @Test func `a licence that was changed is not trusted`() async throws {
        let license = try ProtectedBooks.license { $0.id = "urn:carrel:licence:1" }
        let forged = String(decoding: license, as: UTF8.self).replacing(
            "urn:carrel:licence:1", with: "urn:carrel:licence:2")
        let tested = TestedProtection()
        let book = try await ProtectedBooks.open(
            ProtectedBooks.epub(license: Data(forged.utf8)), by: tested.protection())
        #expect(book.protection?.isLocked == true && tested.kinds == [.invalidSignature])
        #expect(book.metadata.title == "Moby-Dick")
    }

    @Test(arguments: ["", "{}", "<a/>", "too long"])
    func `a damaged licence leaves the metadata`(_ content: String) async throws {
        let text = content == "too long" ? String(repeating: " ", count: 2 * LicenseDocument.largest) : content
        let tested = TestedProtection()
        let book = try await ProtectedBooks.open(
            ProtectedBooks.epub(license: Data(text.utf8)), by: tested.protection())
        #expect(book.protection?.isLocked == true && tested.kinds == [.invalidLicense])
        #expect(await locked(book, "OEBPS/c1.xhtml") && book.metadata.title == "Moby-Dick")
    }

    @Test func `a package without a list of what is encrypted is damaged`() async throws {
        let tested = TestedProtection()
        let data = try ProtectedBooks.epub(license: ProtectedBooks.license(), isProtected: false)
        let book = try await ProtectedBooks.open(data, by: tested.protection())
        #expect(book.protection?.isLocked == true && tested.kinds == [.damagedPackage])
        #expect(await locked(book, "OEBPS/c1.xhtml"))
    }

    /// LCP 1.0, section 2.1.
    @Test func `files that must be plain are read as they are`() async throws {
        let tested = TestedProtection()
        let data = try ProtectedBooks.epub(
            license: ProtectedBooks.license(), declared: ["OEBPS/content.opf", "META-INF/container.xml"])
        let book = try await ProtectedBooks.open(data, by: tested.protection())
        #expect(book.protection == .unlocked(.lcp) && book.metadata.title == "Moby-Dick")
        #expect(try await book.get("OEBPS/content.opf").readAsString() == ProtectedBooks.packageDocument)
    }

    @Test func `of a Readium package the manifest says what is encrypted`() async throws {
        let license = try ProtectedBooks.license()
        for (name, href, type) in [
            ("a.webpub", "a.html", "text/html"), ("a.lcpa", "1.mp3", "audio/mpeg"), ("a.divina", "1.jpg", "image/jpeg"),
        ] {
            let tested = TestedProtection()
            let data = try ProtectedBooks.readiumPackage(href, type, chapter, license: license)
            let book = try await ProtectedBooks.open(data, as: name, by: tested.protection())
            #expect(book.protection == .unlocked(.lcp) && book.metadata.title == "Typee", "\(name)")
            #expect(try await book.get(href).read() == chapter)
            #expect(try await book.get("plain.txt").readAsString() == "plain")
        }
    }

    @Test(.enabled(if: PDFDocument.isSupported)) func `a protected PDF has pages, positions and contents`() async throws
    {
        let tested = TestedProtection()
        var file = PDFBuilder.pages(3, catalog: "/Outlines 9 0 R")
        file.add("<< /First 10 0 R /Last 10 0 R >>")
        file.add("<< /Title (Chapter) /Parent 9 0 R /Dest [5 0 R /Fit] >>")
        let pdf = file.build()
        let data = try ProtectedBooks.readiumPackage(
            "a.pdf", "application/pdf", pdf, license: ProtectedBooks.license())
        let book = try await ProtectedBooks.open(data, as: "a.lcpdf", by: tested.protection())
        #expect(book.mediaType == .lcpProtectedPDF && book.protection == .unlocked(.lcp) && book.warnings.isEmpty)
        #expect(book.metadata.numberOfPages == 3 && book.metadata.title == "Typee")
        #expect(try await book.positions().map(\.locations.fragments) == [["page=1"], ["page=2"], ["page=3"]])
        #expect(book.tableOfContents.map(\.href) == ["a.pdf#page=2"])
        #expect(try await book.get("a.pdf").read() == pdf)
        #expect(try await PDFDocument.open(book.get("a.pdf")).pageSizes(2..<3).count == 1)

        let locked = try await ProtectedBooks.open(
            data, as: "a.lcpdf", by: TestedProtection(passphrase: nil).protection())
        #expect(locked.protection?.isLocked == true && locked.metadata.numberOfPages == nil && locked.warnings.isEmpty)
    }

    @Test func `protection costs one request and 24 KiB at most`() async throws {
        func cost(_ data: Data, _ options: OpeningOptions) async throws -> (requests: Int, bytes: Int64) {
            let server = try OneFileServer(data)
            let book = try await Publication.open(path: server.reader.path, of: server, options: options)
            #expect(book.metadata.title == "Moby-Dick")
            return (server.reader.trips, server.reader.bytes)
        }
        var options = OpeningOptions()
        options.protections = [try TestedProtection().protection()]
        let plain = try await cost(
            ProtectedBooks.epub(license: nil, isProtected: false, pictures: 20), OpeningOptions())
        let guarded = try await cost(ProtectedBooks.epub(license: nil, isProtected: false, pictures: 20), options)
        #expect(guarded.requests == plain.requests && guarded.bytes == plain.bytes)
        let license = try ProtectedBooks.license()
        let protected = try await cost(ProtectedBooks.epub(license: license, pictures: 20), options)
        #expect(protected.requests <= plain.requests + 1, "\(protected) \(plain)")
        #expect(protected.bytes <= plain.bytes + 24 << 10, "\(protected) \(plain)")
    }

    private func locked(_ book: Publication, _ href: String) async -> Bool {
        do {
            _ = try await book.get(href).read()
            return false
        } catch {
            return error.resourceFailure == .forbidden
        }
    }
}

@Suite struct LoneLicenseTests {
    private func license(of data: Data, length: Int64? = nil, href: String = "https://books.example.org/moby.epub")
        throws -> Data
    {
        try ProtectedBooks.license {
            $0.publicationHref = href
            $0.publicationType = "application/epub+zip"
            $0.publicationLength = length ?? Int64(data.count)
        }
    }

    @Test func `a licence alone opens its publication by ranges where it lies`() async throws {
        let data = try ProtectedBooks.epub(license: nil, pictures: 20)
        let server = try OneFileServer(data)
        let tested = TestedProtection(registry: try server.registry())
        let book = try await ProtectedBooks.open(license(of: data), as: "moby.lcpl", by: tested.protection())
        #expect(book.mediaType == .epub && book.protection == .unlocked(.lcp) && tested.kinds.isEmpty)
        #expect(book.metadata.title == "Moby-Dick")
        #expect(try await book.get("OEBPS/c1.xhtml").read() == Data(ProtectedBooks.chapter.utf8))
        #expect(server.reader.bytes < Int64(data.count / 4), "\(server.reader.requests)")
        await book.close()
        #expect(server.reader.isClosed)
    }

    @Test func `a hash that no one can compare keeps no licence alone from opening its publication`() async throws {
        let data = try ProtectedBooks.epub(license: nil)
        let tested = TestedProtection(registry: try OneFileServer(data).registry())
        let license = try ProtectedBooks.license {
            $0.publicationLength = Int64(data.count)
            $0.publicationHash = "MD5 of the file"
        }
        let book = try await ProtectedBooks.open(license, as: "moby.lcpl", by: tested.protection())
        #expect(book.protection == .unlocked(.lcp) && tested.kinds.isEmpty)
    }

    @Test func `the licence that was opened is used, not the one in the package`() async throws {
        let inside = try ProtectedBooks.license { $0.end = Date(timeIntervalSince1970: 1_770_000_000) }
        let data = try ProtectedBooks.epub(license: inside)
        let tested = TestedProtection(registry: try OneFileServer(data).registry())
        let book = try await ProtectedBooks.open(license(of: data), as: "moby.lcpl", by: tested.protection())
        #expect(book.protection == .unlocked(.lcp) && tested.kinds.isEmpty)
    }

    @Test func `without a passphrase a licence alone opens the metadata of its publication`() async throws {
        let data = try ProtectedBooks.epub(license: nil)
        let tested = TestedProtection(passphrase: nil, registry: try OneFileServer(data).registry())
        let book = try await ProtectedBooks.open(license(of: data), as: "moby.lcpl", by: tested.protection())
        #expect(book.protection?.isLocked == true && book.metadata.title == "Moby-Dick")
        #expect(tested.kinds == [.passphraseNeeded])
    }

    @Test func `another file than the licence's is refused`() async throws {
        let data = try ProtectedBooks.epub(license: nil)
        let server = try OneFileServer(data)
        let tested = TestedProtection(registry: try server.registry())
        let license = try license(of: data, length: Int64(data.count + 1))
        await #expect { _ = try await ProtectedBooks.open(license, as: "moby.lcpl", by: tested.protection()) } throws: {
            ($0 as? LCPProblem)?.kind == .damagedDownload && $0.sentence.contains("\(data.count) bytes")
        }
        #expect(tested.kinds == [.damagedDownload] && server.reader.isClosed)

        let page = Data("<!DOCTYPE html><html><body>Log in</body></html>".utf8)
        let other = TestedProtection(registry: try OneFileServer(page).registry())
        let small = try self.license(of: page)
        await #expect { _ = try await ProtectedBooks.open(small, as: "moby.lcpl", by: other.protection()) } throws: {
            ($0 as? LCPProblem)?.kind == .damagedPackage
        }
    }

    @Test(arguments: ["file:///etc/passwd", "moby.epub", "ftp://books.example.org/moby.epub"])
    func `only addresses of web servers are followed`(_ href: String) async throws {
        let tested = TestedProtection()
        let license = try license(of: Data(), length: 1, href: href)
        await #expect { _ = try await ProtectedBooks.open(license, as: "moby.lcpl", by: tested.protection()) } throws: {
            ($0 as? LCPProblem)?.kind == .noPublicationLink
        }
    }

    @Test func `the link of a licence that is not trusted is not followed`() async throws {
        let data = try ProtectedBooks.epub(license: nil)
        let server = try OneFileServer(data)
        let tested = TestedProtection(registry: try server.registry())
        let forged = String(decoding: try license(of: data), as: UTF8.self).replacing("moby.epub", with: "typee.epub")
        await #expect {
            _ = try await ProtectedBooks.open(Data(forged.utf8), as: "moby.lcpl", by: tested.protection())
        } throws: {
            ($0 as? LCPProblem)?.kind == .invalidSignature
        }
        #expect(server.reader.requests.isEmpty && tested.kinds == [.invalidSignature])
    }

    @Test func `a licence of a stranger is forbidden, and no damaged file`() async throws {
        let license = Data(LCPVectors.strangerLicense.utf8)
        await #expect {
            _ = try await ProtectedBooks.open(license, as: "moby.lcpl", by: TestedProtection().protection())
        } throws: {
            ($0 as? LCPProblem)?.kind == .untrustedCertificate && OpeningFailure($0) == .forbidden
        }
    }
}
