import SafeXML

/// `META-INF/encryption.xml`: which resources are encrypted or obfuscated, and how (EPUB 3.3, section 4.2.6.3.2).
///
/// Elements are told by their names alone, because namespaces are declared in many ways there.
struct EncryptionDocument: Sendable {
    static let href = "META-INF/encryption.xml"
    private static let lcp = "http://readium.org/2014/01/lcp"

    /// By address, relative to the root.
    let encryptions: [String: Encryption]

    init(_ root: XMLElement) {
        var encryptions: [String: Encryption] = [:]
        for data in root.descendants("EncryptedData") {
            guard let algorithm = data.first("EncryptionMethod")?.attribute("Algorithm").map(EPUBText.trimmed), !algorithm.isEmpty,
                let reference = data.first("CipherData")?.first("CipherReference")?.attribute("URI"),
                let href = EPUBPath.root.resolve(reference), encryptions[href] == nil
            else { continue }
            encryptions[href] = Self.encryption(data, algorithm: algorithm)
        }
        self.encryptions = encryptions
    }

    private static func encryption(_ data: XMLElement, algorithm: String) -> Encryption {
        var encryption = Encryption(algorithm: algorithm)
        if let compression = data.first("EncryptionProperties")?.descendants("Compression").first {
            encryption.compression = compression.attribute("Method").map(EPUBText.trimmed) == "8" ? "deflate" : "none"
            encryption.originalLength = compression.attribute("OriginalLength").flatMap { Int64(EPUBText.trimmed($0)) }
                .flatMap { $0 > 0 ? $0 : nil }
        }
        // Readium LCP, section 3.2: the key is fetched from the licence.
        let retrieval = data.first("KeyInfo")?.first("RetrievalMethod")
        if retrieval?.attribute("Type") == lcp + "#EncryptedContentKey" { encryption.scheme = lcp }
        return encryption
    }
}
