import FileProviderCore
import Foundation
import SafeXML

/// The default sniffers, in the order of Readium's media type proposal: formats that are special cases of others come first.
enum Sniffers {
    static let all: [MediaType.Sniffer] = [
        html, opds1, opds2, lcpLicense, bitmap, readiumWebPub, w3cWebPub, epub, lpf, freeFormArchive, pdf,
    ]

    /// Root element `html`, or a document that says so.
    static let html: MediaType.Sniffer = { context in
        if context.hasFileExtension("htm", "html", "xht", "xhtml") || context.hasMediaType(.html, .xhtml) { return .html }
        if try await context.contentAsXML()?.name.lowercased() == "html" { return .html }
        let text = try await context.contentAsString()?.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        return text?.prefix(14).lowercased() == "<!doctype html" ? .html : nil
    }

    /// Atom with a catalogue's profile; without a hint every Atom feed and entry is taken for one, as the proposal has it.
    static let opds1: MediaType.Sniffer = { context in
        if context.hasMediaType(.opds1Entry) { return .opds1Entry }
        if context.hasMediaType(.opds1) { return .opds1 }
        guard let root = try await context.contentAsXML(), root.namespace == "http://www.w3.org/2005/Atom" else { return nil }
        return root.name == "feed" ? .opds1 : root.name == "entry" ? .opds1Entry : nil
    }

    static let opds2: MediaType.Sniffer = { context in
        if context.hasMediaType(.opds2) { return .opds2 }
        if context.hasMediaType(.opds2Publication) { return .opds2Publication }
        if context.hasMediaType("application/opds-authentication+json", "application/vnd.opds.authentication.v1.0+json") {
            return .opdsAuthentication
        }
        guard let json = try await context.contentAsJSON() else { return nil }
        if let manifest = try await context.contentAsRWPM() {
            if manifest.links.contains(where: { $0.rels.contains("self") && $0.mediaType == .opds2 }) { return .opds2 }
            let acquisition = "http://opds-spec.org/acquisition"
            if manifest.links.contains(where: { $0.rels.contains { $0.hasPrefix(acquisition) } }) { return .opds2Publication }
        }
        return json.hasKeys("id", "title", "authentication") ? .opdsAuthentication : nil
    }

    static let lcpLicense: MediaType.Sniffer = { context in
        if context.hasFileExtension("lcpl") || context.hasMediaType(.lcpLicenseDocument) { return .lcpLicenseDocument }
        return try await context.contentAsJSON()?.hasKeys("id", "issued", "provider", "encryption") == true ? .lcpLicenseDocument : nil
    }

    /// Images by their hints alone: what needs them are archive entries and manifests.
    static let bitmap: MediaType.Sniffer = { context in
        if context.hasFileExtension("avif") || context.hasMediaType(.avif) { return .avif }
        if context.hasFileExtension("bmp", "dib") || context.hasMediaType("image/bmp", "image/x-bmp") { return .bmp }
        if context.hasFileExtension("gif") || context.hasMediaType(.gif) { return .gif }
        if context.hasFileExtension("jpg", "jpeg", "jpe", "jif", "jfif", "jfi") || context.hasMediaType(.jpeg) { return .jpeg }
        if context.hasFileExtension("jxl") || context.hasMediaType(.jxl) { return .jxl }
        if context.hasFileExtension("png") || context.hasMediaType(.png) { return .png }
        if context.hasFileExtension("tiff", "tif") || context.hasMediaType("image/tiff", "image/tiff-fx") { return .tiff }
        if context.hasFileExtension("webp") || context.hasMediaType(.webp) { return .webp }
        return nil
    }

    /// Readium's packages and manifests: audiobook, DiViNa, web publication, and the protected ones.
    static let readiumWebPub: MediaType.Sniffer = { context in
        let byExtension: [(String, MediaType)] = [
            ("audiobook", .readiumAudiobook), ("divina", .divina), ("webpub", .readiumWebPub), ("lcpa", .lcpProtectedAudiobook),
            ("lcpdf", .lcpProtectedPDF),
        ]
        for (name, type) in byExtension where context.hasFileExtension(name) || context.hasMediaType(type) { return type }
        for type in [MediaType.readiumAudiobookManifest, .divinaManifest, .readiumWebPubManifest] where context.hasMediaType(type) {
            return type
        }
        guard let manifest = try await context.contentAsRWPM() else { return nil }
        let isPackage = try await context.contentAsArchive() != nil
        let isProtected = try await context.containsArchiveEntry("license.lcpl")
        let order = manifest.readingOrder
        if manifest.metadata.type == "http://schema.org/Audiobook" || order.allAreAudio {
            return isProtected ? .lcpProtectedAudiobook : isPackage ? .readiumAudiobook : .readiumAudiobookManifest
        }
        if order.allAreBitmap { return isPackage ? .divina : .divinaManifest }
        if isProtected, order.allMatchMediaType(.pdf) { return .lcpProtectedPDF }
        if isPackage { return .readiumWebPub }
        let isManifest = manifest.links.contains { $0.rels.contains("self") && $0.mediaType == .readiumWebPubManifest }
        return isManifest ? .readiumWebPubManifest : nil
    }

    static let w3cWebPub: MediaType.Sniffer = { context in
        try await context.contentAsJSON()?.hasContext("https://www.w3.org/ns/wp-context") == true ? .w3cWPUBManifest : nil
    }

    /// The entry `mimetype` with what EPUB's container format asks for (OCF 3.3, section 4.2.2), known by its checksum without reading it.
    static let epub: MediaType.Sniffer = { context in
        if context.hasFileExtension("epub") || context.hasMediaType(.epub) { return .epub }
        guard let entry = try await context.contentAsArchive()?.directory.entry(at: "mimetype") else { return nil }
        if entry.uncompressedSize == 20, entry.checksum == 0x2CAB_616F { return .epub }
        guard entry.uncompressedSize <= 64, let data = try await context.readArchiveEntry("mimetype") else { return nil }
        // Real books end it with a line break or begin it with a byte order mark; readers open them all the same.
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: CharacterSet(charactersIn: "\u{FEFF} \t\r\n"))
        return text == "application/epub+zip" ? .epub : nil
    }

    static let lpf: MediaType.Sniffer = { context in
        if context.hasFileExtension("lpf") || context.hasMediaType(.lpf) { return .lpf }
        if try await context.containsArchiveEntry("index.html") { return .lpf }
        guard let data = try await context.readArchiveEntry("publication.json") else { return nil }
        let json = try? JSONValue(data: data, maximumSize: Int(SniffedContent.largestDocument))
        return json?.hasContext("https://www.w3.org/ns/pub-context") == true ? .lpf : nil
    }

    private static let comicParts: Set<String> = [
        "acbf", "avif", "bmp", "dib", "gif", "jfi", "jfif", "jif", "jpe", "jpeg", "jpg", "jxl", "png", "tif", "tiff", "webp", "xml",
    ]
    private static let audioParts: Set<String> = [
        "aac", "aiff", "alac", "flac", "m4a", "m4b", "mp3", "ogg", "oga", "mogg", "opus", "wav", "webm",
    ]
    private static let playlists: Set<String> = ["asx", "bio", "m3u", "m3u8", "pla", "pls", "smil", "vlc", "wpl", "xspf", "zpl"]

    /// Archives of nothing but pictures, or nothing but sound, and at least one of them.
    static let freeFormArchive: MediaType.Sniffer = { context in
        if context.hasFileExtension("cbz")
            || context.hasMediaType("application/vnd.comicbook+zip", "application/x-cbz", "application/x-cbr")
        {
            return .cbz
        }
        if context.hasFileExtension("zab") { return .zab }
        guard let archive = try await context.contentAsArchive() else { return nil }
        var kinds: Set<String> = []
        for entry in archive.directory.entries where !entry.isDirectory {
            let name = entry.path.split(separator: "/").last ?? ""
            if name.hasPrefix(".") || name == "Thumbs.db" || entry.path.hasPrefix("__MACOSX/") { continue }
            kinds.insert(entry.fileExtension?.lowercased() ?? "")
        }
        if kinds.isSubset(of: comicParts), !kinds.subtracting(["xml", "acbf"]).isEmpty { return .cbz }
        if kinds.isSubset(of: audioParts.union(playlists)), !kinds.isDisjoint(with: audioParts) { return .zab }
        return nil
    }

    static let pdf: MediaType.Sniffer = { context in
        if context.hasFileExtension("pdf") || context.hasMediaType(.pdf) { return .pdf }
        guard context.hasContent, try await context.contentAsArchive() == nil else { return nil }
        return try await context.read(.range(0..<5)) == Data("%PDF-".utf8) ? .pdf : nil
    }
}

extension JSONValue {
    fileprivate func hasKeys(_ keys: String...) -> Bool { keys.allSatisfy { self[$0] != nil } }

    /// Whether `@context`, a string or an array, has `uri` in it.
    fileprivate func hasContext(_ uri: String) -> Bool {
        self["@context"]?.stringValue == uri || self["@context"]?.arrayValue?.contains { $0.stringValue == uri } == true
    }
}
