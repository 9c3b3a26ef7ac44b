public import Foundation

/// Publications that Readium LCP protects, made of given entries.
public enum ProtectedPackages {
    /// A file of a package.
    public struct Entry: Sendable {
        /// The path in the package.
        public var path: String
        /// The media type, which only the manifests of Readium's packages need.
        public var type: String
        /// The plain bytes.
        public var content: Data
        /// Whether the file is encrypted, and stored; else it is plain, and deflated.
        public var isProtected: Bool
        /// Whether the file is deflated before it is encrypted.
        public var isDeflated: Bool
        /// Whether the package tells how long the plain bytes are.
        public var hasLength: Bool

        /// A protected file.
        public init(
            _ path: String, type: String = "application/octet-stream", _ content: Data, isProtected: Bool = true,
            isDeflated: Bool = false, hasLength: Bool = true
        ) {
            self.path = path
            self.type = type
            self.content = content
            self.isProtected = isProtected
            self.isDeflated = isDeflated
            self.hasLength = hasLength
        }
    }

    /// The packages of Readium with a manifest in JSON.
    public enum Kind: String, CaseIterable, Sendable {
        /// An audiobook.
        case lcpa
        /// One or more PDF files.
        case lcpdf
        /// A publication of any kind.
        case webpub
        /// A comic.
        case divina

        fileprivate var profile: String? {
            switch self {
            case .lcpa: "https://readium.org/webpub-manifest/profiles/audiobook"
            case .lcpdf: "https://readium.org/webpub-manifest/profiles/pdf"
            case .divina: "https://readium.org/webpub-manifest/profiles/divina"
            case .webpub: nil
            }
        }
    }

    /// AES-256-CBC, as the scheme uses it for resources.
    public static let algorithm = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"

    /// A resource as it is in a package.
    public static func encrypted(
        _ data: Data, key: Data = LCPVectors.contentKey, isDeflated: Bool = false, seed: UInt64 = 1
    ) -> Data {
        SampleCipher.encrypt(isDeflated ? Deflate.pack(data) : data, key: key, seed: seed)
    }

    /// An EPUB of all `entries`, among which are its container and its package document.
    ///
    /// - Parameter license: Nil for none in the package.
    public static func epub(_ entries: [Entry], key: Data = LCPVectors.contentKey, license: Data?) throws -> Data {
        try ZIPBuilder.data { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try add(entries, key: key, to: zip)
            if entries.contains(where: \.isProtected) {
                try zip.deflate("META-INF/encryption.xml", encryptionDocument(entries.filter(\.isProtected)))
            }
            if let license { try zip.add("META-INF/license.lcpl", license) }
        }
    }

    /// A package of Readium's, which has all `entries` in its reading order.
    ///
    /// - Parameter license: Nil for none in the package.
    public static func readium(
        _ kind: Kind, title: String, _ entries: [Entry], key: Data = LCPVectors.contentKey, license: Data?
    ) throws -> Data {
        try ZIPBuilder.data { zip in
            try zip.deflate("manifest.json", manifest(kind, title, entries).text)
            try add(entries, key: key, to: zip)
            if let license { try zip.add("license.lcpl", license) }
        }
    }

    private static func add(_ entries: [Entry], key: Data, to zip: ZIPBuilder) throws {
        for (index, entry) in entries.enumerated() {
            if entry.isProtected {
                let seed = UInt64(index + 1)
                try zip.store(
                    entry.path, encrypted(entry.content, key: key, isDeflated: entry.isDeflated, seed: seed))
            } else {
                try zip.add(entry.path, entry.content)
            }
        }
    }

    private static func encryptionDocument(_ entries: [Entry]) -> String {
        let data = entries.map { entry in
            let length = entry.hasLength ? " OriginalLength=\"\(entry.content.count)\"" : ""
            let compression =
                entry.hasLength || entry.isDeflated
                ? """
                <enc:EncryptionProperties><enc:EncryptionProperty>
                <c:Compression xmlns:c="http://www.idpf.org/2016/encryption#compression" Method="\(entry.isDeflated ? 8 : 0)"\(length)/>
                </enc:EncryptionProperty></enc:EncryptionProperties>
                """ : ""
            return """
                <enc:EncryptedData><enc:EncryptionMethod Algorithm="\(algorithm)"/>
                <ds:KeyInfo><ds:RetrievalMethod URI="license.lcpl#/encryption/content_key"
                 Type="http://readium.org/2014/01/lcp#EncryptedContentKey"/></ds:KeyInfo>
                <enc:CipherData><enc:CipherReference URI="\(entry.path)"/></enc:CipherData>\(compression)</enc:EncryptedData>
                """
        }
        return """
            <encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"
             xmlns:enc="http://www.w3.org/2001/04/xmlenc#" xmlns:ds="http://www.w3.org/2000/09/xmldsig#">\(data.joined())</encryption>
            """
    }

    private static func manifest(_ kind: Kind, _ title: String, _ entries: [Entry]) -> SampleJSON {
        var metadata: [String: SampleJSON] = ["title": .text(title)]
        metadata["conformsTo"] = kind.profile.map { .text($0) }
        return .object([
            "@context": .text("https://readium.org/webpub-manifest/context.jsonld"), "metadata": .object(metadata),
            "readingOrder": .list(entries.map(link)),
        ])
    }

    private static func link(_ entry: Entry) -> SampleJSON {
        var link: [String: SampleJSON] = ["href": .text(entry.path), "type": .text(entry.type)]
        guard entry.isProtected else { return .object(link) }
        var encrypted: [String: SampleJSON] = [
            "scheme": .text("http://readium.org/2014/01/lcp"), "profile": .text("http://readium.org/lcp/basic-profile"),
            "algorithm": .text(algorithm),
        ]
        if entry.isDeflated { encrypted["compression"] = .text("deflate") }
        if entry.hasLength { encrypted["originalLength"] = .number(Int64(entry.content.count)) }
        link["properties"] = .object(["encrypted": .object(encrypted)])
        return .object(link)
    }
}
