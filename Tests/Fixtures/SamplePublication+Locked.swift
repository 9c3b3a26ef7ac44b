import Foundation

/// Publications that Readium LCP protects (LCP 1.0, sections 2.4 and 3.2). The licence opens nothing, and what is
/// encrypted is noise.
extension SamplePublication {
    private static let aes = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
    private static let license = Data(
        """
        {"id": "urn:carrel:licence", "issued": "2026-01-01T00:00:00Z", "provider": "https://example.org",
         "encryption": {"profile": "http://readium.org/lcp/basic-profile"}}
        """.utf8)
    private static let properties = """
        {"encrypted": {"scheme": "http://readium.org/2014/01/lcp", "profile": "http://readium.org/lcp/basic-profile",
         "algorithm": "\(aes)"}}
        """
    private static let noise = Data((0..<64).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })

    static func lockedAudiobook() throws -> SamplePublication {
        let order = [("1.mp3", "audio/mpeg"), ("2.mp3", "audio/mpeg")]
        return try package(
            "locked.lcpa", "application/audiobook+lcp",
            json("Not to Be Heard", type: "http://schema.org/Audiobook", order: order, properties: properties),
            title: "Not to Be Heard",
            [("1.mp3", noise), ("2.mp3", noise)])
    }

    static func lockedPDF() throws -> SamplePublication {
        let manifest = json("Not to Be Seen", order: [("book.pdf", "application/pdf")], properties: properties)
        return try package(
            "locked.lcpdf", "application/pdf+lcp", manifest, title: "Not to Be Seen", [("book.pdf", noise)])
    }

    private static func package(
        _ name: String, _ mediaType: String, _ manifest: Data, title: String, _ parts: [(String, Data)]
    ) throws -> SamplePublication {
        let data = try ZIPBuilder.data { zip in
            try zip.add("manifest.json", manifest)
            try zip.add("license.lcpl", license)
            for (path, content) in parts { try zip.store(path, content) }
        }
        return SamplePublication(
            fileName: name, mediaType: mediaType, title: title, start: Data(), count: parts.count,
            files: [(name, data)], isLocked: true)
    }

    static func lockedEPUB() throws -> SamplePublication {
        let encryption = """
            <encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#"
             xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="\(aes)"/>
            <ds:KeyInfo><ds:RetrievalMethod URI="license.lcpl#/encryption/content_key"
             Type="http://readium.org/2014/01/lcp#EncryptedContentKey"/></ds:KeyInfo>
            <enc:CipherData><enc:CipherReference URI="a.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>
            """
        let data = try ZIPBuilder.data { zip in
            for (path, content) in epubFiles(titled: "Shut") {
                try zip.store(path, path == "a.xhtml" ? noise : content)
            }
            try zip.deflate("META-INF/encryption.xml", encryption)
            try zip.add("META-INF/license.lcpl", license)
        }
        return SamplePublication(
            fileName: "shut.epub", mediaType: "application/epub+zip", title: "Shut", start: Data(), count: 1,
            files: [("shut.epub", data)],
            isLocked: true)
    }
}
