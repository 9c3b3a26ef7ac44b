import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Publication
import SampleBooks

import LCP

/// Protected books with known text, and the protection that opens them.
enum ProtectedBooks {
    static let passphrase = "White whale"
    static let words = "Call me Ishmael."
    /// Larger than a block of any cache, with a length that is no multiple of 16.
    static let picture: Data = {
        var numbers = SeededNumbers(seed: 38)
        return numbers.bytes(200_005)
    }()
    static let chapter = document("<p>\(words)</p>" + String(repeating: "<p>The sea, the sea.</p>", count: 400))
    static let container = """
        <?xml version="1.0"?>
        <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
        <rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
        """
    static let packageDocument = """
        <?xml version="1.0"?>
        <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="uid">
        <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Moby-Dick</dc:title><dc:language>en</dc:language>
        <dc:identifier id="uid">urn:uuid:36d5078e-ff7d-468e-a5f3-f47c14b91f2f</dc:identifier></metadata>
        <manifest><item id="c1" href="c1.xhtml" media-type="application/xhtml+xml"/>
        <item id="p" href="p.jpg" media-type="image/jpeg"/>
        <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>
        <spine><itemref idref="c1"/></spine></package>
        """
    static let navigation = document(
        #"<nav epub:type="toc"><ol><li><a href="c1.xhtml">Loomings</a></li></ol></nav>"#)

    static func document(_ body: String) -> String {
        """
        <?xml version="1.0" encoding="utf-8"?>
        <!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>T</title></head>
        <body>\(body)</body></html>
        """
    }

    /// A signed licence, after `change`.
    static func license(_ change: (inout SampleLicense) -> Void = { _ in }) throws -> Data {
        var license = SampleLicense()
        change(&license)
        return try license.signed()
    }

    /// An EPUB whose chapter and picture are encrypted; a plain one without a licence and `isProtected`.
    ///
    /// - Parameter declared: Further files that are declared as encrypted and are not.
    static func epub(license: Data?, isProtected: Bool = true, declared: [String] = [], pictures: Int = 1) throws
        -> Data
    {
        try ZIPBuilder.data { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try zip.deflate("META-INF/container.xml", container)
            try zip.deflate("OEBPS/content.opf", packageDocument)
            try zip.deflate("OEBPS/nav.xhtml", navigation)
            for index in 1..<pictures { try zip.store("OEBPS/more/\(index).jpg", picture) }
            let files = [("OEBPS/c1.xhtml", Data(chapter.utf8)), ("OEBPS/p.jpg", picture)]
            for (path, data) in files {
                try zip.store(path, isProtected ? ProtectedPackages.encrypted(data) : data)
            }
            if isProtected { try zip.deflate("META-INF/encryption.xml", encryption(files.map(\.0) + declared)) }
            if let license { try zip.add("META-INF/license.lcpl", license) }
        }
    }

    private static func encryption(_ paths: [String]) -> String {
        let data = paths.map { path in
            """
            <enc:EncryptedData><enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/>
            <ds:KeyInfo><ds:RetrievalMethod URI="license.lcpl#/encryption/content_key"
             Type="http://readium.org/2014/01/lcp#EncryptedContentKey"/></ds:KeyInfo>
            <enc:CipherData><enc:CipherReference URI="\(path)"/></enc:CipherData></enc:EncryptedData>
            """
        }
        return """
            <encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"
             xmlns:enc="http://www.w3.org/2001/04/xmlenc#" xmlns:ds="http://www.w3.org/2000/09/xmldsig#">\(data.joined())</encryption>
            """
    }

    /// A package of Readium's with one encrypted resource and one that is not.
    static func readiumPackage(_ href: String, _ type: String, _ content: Data, license: Data?) throws -> Data {
        let manifest = """
            {"@context": "https://readium.org/webpub-manifest/context.jsonld", "metadata": {"title": "Typee"},
             "readingOrder": [{"href": "\(href)", "type": "\(type)", "properties": {"encrypted":
              {"scheme": "http://readium.org/2014/01/lcp", "profile": "http://readium.org/lcp/basic-profile",
               "algorithm": "http://www.w3.org/2001/04/xmlenc#aes256-cbc"}}}],
             "resources": [{"href": "plain.txt", "type": "text/plain"}]}
            """
        return try ZIPBuilder.data { zip in
            try zip.deflate("manifest.json", manifest)
            try zip.store(href, ProtectedPackages.encrypted(content))
            try zip.deflate("plain.txt", "plain")
            if let license { try zip.add("license.lcpl", license) }
        }
    }

    /// Opens `data` out of a folder in memory.
    static func open(_ data: Data, as name: String = "book.epub", by protection: LCPContentProtection) async throws
        -> Publication
    {
        let provider = MemoryFileProvider()
        let path = try ProviderPath(name)
        try await provider.writeContents(path: path, contents: data)
        var options = OpeningOptions()
        options.protections = [protection]
        return try await Publication.open(path: path, of: provider, options: options)
    }
}

/// A protection with the roots of the vectors, and the problems that it met.
struct TestedProtection: Sendable {
    let problems = CollectedValues<LCPProblem>()
    var passphrase: String? = ProtectedBooks.passphrase
    var store: any LicenseStore = MemoryLicenseStore()
    var status: LicenseStatusClient?
    var now = Date(timeIntervalSince1970: 1_780_000_000)
    var registry = ProviderRegistry()

    var kinds: [LCPProblem.Kind] { problems.values.map(\.kind) }

    func protection() throws -> LCPContentProtection {
        let (problems, passphrase, now) = (problems, passphrase, now)
        return LCPContentProtection(
            trust: try LicenseTrust(roots: [Data(LCPVectors.rootCertificatePEM.utf8)]),
            unlocking: LicenseUnlocking(
                source: PassphrasePrompt { request in request.wasWrong ? nil : passphrase }), store: store,
            status: status,
            clock: { now }, registry: registry, problems: { problems.append($0) })
    }
}

/// A web server with one file, which counts what is asked for.
final class OneFileServer: ForwardingProvider {
    static let type = "One file"
    let underlying: any FileProvider = MemoryFileProvider()
    let reader: CountingReader

    init(_ data: Data) throws { reader = try CountingReader(data, name: "moby.epub") }

    func open(path: ProviderPath) async throws -> any FileReader { reader }

    /// A registry that leads every https address here.
    func registry() throws -> ProviderRegistry {
        let registry = ProviderRegistry()
        try registry.register(
            ProviderRegistration(type: "web", schemes: ["https"]) { [self] _, _ in
                ProviderLocation(provider: self, path: reader.path)
            })
        return registry
    }
}
