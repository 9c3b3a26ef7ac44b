import SafeXML

/// `META-INF/encryption.xml`: which resources are encrypted or obfuscated, and how (EPUB 3.3, section 4.2.6.3.2).
///
/// Elements are matched by local name only, because books declare the namespaces in many ways.
struct EncryptionDocument: Sendable {
    static let href = "META-INF/encryption.xml"
    static let lcp = "http://readium.org/2014/01/lcp"

    static let adept = "http://ns.adobe.com/adept"

    /// By address, relative to the root.
    let encryptions: [String: Encryption]
    /// Whether keys are named as Adobe ADEPT names them.
    let hasADEPTKeys: Bool

    /// - Parameter references: Resolves references in the document, which are relative to the root.
    init(_ root: XMLElement, references: EPUBReferences) {
        let references = EPUBReferences(
            document: references.document, folder: .root, inventory: references.inventory, warnings: references.warnings
        )
        var encryptions: [String: Encryption] = [:]
        for data in root.descendants("EncryptedData") {
            guard let algorithm = data.first("EncryptionMethod")?.attribute("Algorithm").map(MarkupText.trimmed),
                !algorithm.isEmpty,
                let reference = data.first("CipherData")?.first("CipherReference")?.attribute("URI"),
                let href = references.resolve(reference), encryptions[href] == nil
            else { continue }
            encryptions[href] = Self.encryption(data, algorithm: algorithm)
        }
        self.encryptions = encryptions
        hasADEPTKeys = root.descendants("resource").contains { $0.namespace == Self.adept }
    }

    private static func encryption(_ data: XMLElement, algorithm: String) -> Encryption {
        var encryption = Encryption(algorithm: algorithm)
        if let compression = data.first("EncryptionProperties")?.descendants("Compression").first {
            encryption.compression = compression.attribute("Method").map(MarkupText.trimmed) == "8" ? "deflate" : "none"
            encryption.originalLength = compression.attribute("OriginalLength").flatMap {
                Int64(MarkupText.trimmed($0))
            }
            .flatMap { $0 > 0 ? $0 : nil }
        }
        // Readium LCP, section 3.2: the key is fetched from the licence.
        let retrieval = data.first("KeyInfo")?.first("RetrievalMethod")
        let isLCP =
            retrieval?.attribute("Type") == lcp + "#EncryptedContentKey"
            || retrieval?.attribute("URI").map(MarkupText.trimmed) == "license.lcpl#/encryption/content_key"
        if isLCP { encryption.scheme = lcp }
        return encryption
    }
}
