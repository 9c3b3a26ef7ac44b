import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

private let aes = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
private let adeptKey =
    #"<KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><resource xmlns="http://ns.adobe.com/adept">urn:uuid:1</resource></KeyInfo>"#
private let lcpKey = """
    <d:KeyInfo xmlns:d="http://www.w3.org/2000/09/xmldsig#"><d:RetrievalMethod URI="license.lcpl#/encryption/content_key"
    Type="http://readium.org/2014/01/lcp#EncryptedContentKey"/></d:KeyInfo>
    """

private func rights(keyLength: Int) -> Data {
    let key = String(repeating: "A", count: keyLength)
    return Data(
        #"<rights xmlns="http://ns.adobe.com/adept"><licenseToken><encryptedKey>\#(key)</encryptedKey></licenseToken></rights>"#
            .utf8)
}

/// A book whose first chapter is not to be read.
private func locked(
    _ keyInfo: String = "", algorithm: String = aes, uri: String = "OEBPS/c1.xhtml", files: [String: Data] = [:]
) -> OddBook {
    OddBook.with { book in
        book.files["META-INF/encryption.xml"] = Data(OddBooks.encryption(algorithm, uri, keyInfo: keyInfo).utf8)
        for (path, data) in files { book.files[path] = data }
    }
}

@Suite struct DetectedProtectionTests {
    /// Pitfall 40: prefixes and default namespaces vary.
    @Test(arguments: [
        (Protection.Scheme.lcp, locked(lcpKey)), (.lcp, locked(files: ["META-INF/license.lcpl": Data("{}".utf8)])),
        (.adept, locked(adeptKey)),
        (.adept, locked(files: ["META-INF/rights.xml": rights(keyLength: 172)])),
        (.other("Barnes & Noble"), locked(files: ["META-INF/rights.xml": rights(keyLength: 64)])),
        (
            .other("Apple FairPlay"),
            locked(algorithm: "http://itunes.apple.com/dataenc", files: ["META-INF/sinf.xml": Data("<sinf/>".utf8)])
        ),
        (.other(nil), locked()), (.other(nil), locked(uri: "OEBPS%2Fc1.xhtml".replacing("%2F", with: "/"))),
    ])
    func `a locked book opens to its metadata, and says why its text is locked`(scheme: Protection.Scheme, odd: OddBook)
        async throws
    {
        let book = try await odd.open()
        let protection = try #require(book.protection)
        #expect(protection.scheme == scheme && protection.isLocked)
        #expect(book.metadata.title == "Moby-Dick" && book.tableOfContents.count == 2 && book.warnings.isEmpty)
        let link = try #require(book.readingOrder.first)
        #expect(link.properties.encryption != nil)
        for link in [
            link, Link(href: "OEBPS/c1.xhtml"), Link(href: "/OEBPS/./c1.xhtml"), Link(href: "OEBPS/c1.xhtml#x"),
            Link(href: "OEBPS/%631.xhtml"),
        ] {
            let resource = book.get(link)
            let error = await #expect(throws: CocoaError.self) { _ = try await resource.read(0..<10) }
            switch error?.resourceFailure {
            case .forbidden: #expect(error?.sentence.hasSuffix(protection.reason ?? "no reason") == true)
            case .notFound: #expect(link.href.contains("/./"))
            default: Issue.record("\(String(describing: error))")
            }
        }
        #expect(try await book.get("OEBPS/c2.xhtml").readAsString().contains(OddBook.words))
        #expect(
            book.fetcherTree
                == "RoutingFetcher\n  in the publication: TransformingFetcher\n    decryption: ArchiveFetcher\n  elsewhere: HTTPFetcher"
        )
    }

    @Test(arguments: [
        OddBook(), locked(algorithm: "http://www.idpf.org/2008/embedding", uri: "OEBPS/style.css"),
        OddBook.with { $0.files["META-INF/rights.xml"] = Data("<rights/>".utf8) },
        OddBook.with { $0.files["META-INF/encryption.xml"] = Data("<encryption/>".utf8) },
    ])
    func `what only looks like it is not protected`(odd: OddBook) async throws {
        let book = try await odd.open()
        #expect(book.protection == nil)
        #expect(try await book.get("OEBPS/c1.xhtml").readAsString().contains(OddBook.words))
    }

    @Test func `of a book of Kobo nothing but its description is shown`() async throws {
        let book = try await OddBook.with { $0.files["rights.xml"] = Data("<kdrm/>".utf8) }.open()
        #expect(book.protection?.scheme == .other("Kobo") && book.metadata.title == "Moby-Dick")
        #expect(await failure(book.get("OEBPS/c1.xhtml")) == .forbidden)
    }

    @Test func `another name for a locked entry does not open it`() async throws {
        let odd = OddBook.with {
            $0.add("c3", "caf\u{E9}.xhtml", "application/xhtml+xml", data: OddBook.chapter)
            $0.files["META-INF/encryption.xml"] = Data(OddBooks.encryption(aes, "OEBPS/cafe\u{301}.xhtml").utf8)
        }
        let book = try await odd.open()
        for href in ["OEBPS/caf\u{E9}.xhtml", "OEBPS/cafe%CC%81.xhtml", "OEBPS/caf%C3%A9.xhtml?a"] {
            #expect(await failure(book.get(href)) == .forbidden, "\(href)")
        }
    }

    @Test func `a book whose package is encrypted is refused for that`() async throws {
        let error = await #expect(throws: CocoaError.self) { _ = try await locked(uri: "OEBPS/content.opf").open() }
        #expect(error?.code == .fileReadNoPermission && error.map { OpeningFailure($0) } == .forbidden)
        #expect(error?.sentence.contains("encrypted in an unknown way") == true)
        var unreadable = OddBook.with { $0.files["META-INF/sinf.xml"] = Data("<sinf/>".utf8) }
        unreadable.package = Data([1, 2, 3])
        let other = await #expect(throws: CocoaError.self) { _ = try await unreadable.open() }
        #expect(other?.code == .fileReadNoPermission)
    }

    @Test func `encrypted contents are passed over with a warning`() async throws {
        let book = try await locked(uri: "OEBPS/nav.xhtml").open()
        #expect(
            book.tableOfContents.isEmpty
                && Set(book.warnings.map(\.tag)) == ["locked-document", "missing-table-of-contents"])
    }

    @Test func `of other packages the manifest says what is locked`() async throws {
        let manifest = """
            {"metadata": {"title": "T"}, "readingOrder": [{"href": "a.html", "type": "text/html", "properties": {"encrypted":
            {"algorithm": "\(aes)", "scheme": "http://readium.org/2014/01/lcp"}}}, {"href": "b.html", "type": "text/html"}]}
            """
        let data = try ZIPBuilder.data { zip in
            for (name, text) in [("manifest.json", manifest), ("license.lcpl", "{}"), ("a.html", "a"), ("b.html", "b")]
            {
                try zip.deflate(name, text)
            }
        }
        let reader = try CountingReader(data)
        let fetcher = ArchiveFetcher(try await ZIPArchive.open(reader))
        let asset = PublicationAsset(path: reader.path, mediaType: .readiumWebPub, form: .archive, fetcher: fetcher)
        let found = try #require(try await DetectedProtection().open(asset, warnings: WarningLog()))
        #expect(found.protection.scheme == .lcp)
        #expect(await failure(found.asset.fetcher.get("a.html")) == .forbidden)
        #expect(try await found.asset.fetcher.get("b.html").readAsString() == "b")
    }

    @Test func `an app's own protection is asked first`() async throws {
        struct Opener: ContentProtection {
            func open(_ asset: PublicationAsset, warnings: WarningLog) async throws -> ProtectedAsset? {
                ProtectedAsset(asset: asset, protection: .unlocked(.adept))
            }
        }
        var options = OpeningOptions()
        options.protections = [Opener()]
        let book = try await locked(adeptKey).open(options: options)
        #expect(book.protection == .unlocked(.adept))
        #expect(try await book.get("OEBPS/c1.xhtml").readAsString().contains(OddBook.words))
    }
}

@Suite struct EPUBRequestTests {
    private func large(_ change: (ZIPBuilder) throws -> Void) throws -> Data {
        try ZIPBuilder.data { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try change(zip)
            try zip.deflate("META-INF/container.xml", EPUBFixture.container)
            try zip.deflate("OEBPS/content.opf", OddBook().packageText)
            try zip.deflate("OEBPS/nav.xhtml", OddBook.navigation)
            try zip.deflate("OEBPS/style.css", "p{}")
            try zip.deflate("OEBPS/c2.xhtml", OddBook.chapter)
            var numbers = SeededNumbers(seed: 4)
            for index in 0..<100 { try zip.store("OEBPS/images/\(index).jpg", numbers.bytes(50_000)) }
            try zip.deflate("OEBPS/c1.xhtml", OddBook.chapter)
        }
    }

    private func requests(_ data: Data) async throws -> (count: Int, bytes: Int64, first: Int) {
        let reader = try CountingReader(data)
        let provider = ReadOnlyProvider(reader)
        let book = try await Publication.open(path: reader.path, of: provider)
        let opened = (reader.requests.count, reader.bytes)
        _ = try await book.get(try #require(book.readingOrder.last)).read()
        return (opened.0, opened.1, reader.requests.count)
    }

    @Test func `an ordinary book costs two requests, as before warnings`() async throws {
        let result = try await requests(try large { _ in })
        #expect(result.count <= 2 && result.bytes <= 100_000, "\(result)")
        #expect(result.first <= 3)
    }

    @Test func `what protects a book costs no request of its own`() async throws {
        let result = try await requests(
            try large { zip in
                try zip.deflate(
                    "META-INF/encryption.xml", OddBooks.encryption(aes, "OEBPS/c1.xhtml", keyInfo: adeptKey))
                try zip.add("META-INF/rights.xml", rights(keyLength: 172))
            })
        #expect(result.count <= 2 && result.bytes <= 100_000, "\(result)")
    }
}
