import FileProviderCore
import Foundation
import MediaTypes
import SafeXML

extension MediaType {
    /// The sniffers of Readium's media type proposal, in its order: formats that are special cases of others come
    /// first.
    public static let standardSniffers: [Sniffer] = [
        Sniffers.html, Sniffers.opds1, Sniffers.opds2, Sniffers.lcpLicense, Sniffers.bitmap, Sniffers.readiumWebPub,
        Sniffers.w3cWebPub,
        Sniffers.epub, Sniffers.lpf, Sniffers.freeFormArchive, Sniffers.pdf,
    ]
}

/// Documents, and images by their hints.
enum Sniffers {
    /// Root element `html`, or text that begins as HTML does.
    static let html: MediaType.Sniffer = { context in
        if context.hasFileExtension("htm", "html", "xht", "xhtml") || context.hasMediaType(.html, .xhtml) {
            return .html
        }
        if try await context.xmlRoot?.name.lowercased() == "html" { return .html }
        guard let head = try await context.head, TextStart.firstCharacter(of: head) == UInt8(ascii: "<") else {
            return nil
        }
        return try await context.textStart.map(beginsAsHTML) == true ? .html : nil
    }

    /// Browsers accept HTML that is not well-formed: look for the document type or the element `html`, after comments
    /// and declarations.
    private static func beginsAsHTML(_ text: String) -> Bool {
        var rest = Substring(text)
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
            guard let end = rest.hasPrefix("<!--") ? "-->" : rest.hasPrefix("<?") ? ">" : nil else { break }
            guard let close = rest.range(of: end) else { return false }
            rest = rest[close.upperBound...]
        }
        return ["<!doctype html", "<html"].contains { start in
            let next = rest.dropFirst(start.count).first
            return rest.prefix(start.count).lowercased() == start
                && (next == nil || next == ">" || next == "/" || next?.isWhitespace == true)
        }
    }

    /// Atom with a catalogue's profile. Without a hint every Atom feed and entry is recognised as one, as the proposal
    /// defines it.
    static let opds1: MediaType.Sniffer = { context in
        if context.hasMediaType(.opds1Entry) { return .opds1Entry }
        if context.hasMediaType(.opds1) { return .opds1 }
        guard let root = try await context.xmlRoot, root.namespace == "http://www.w3.org/2005/Atom" else { return nil }
        return root.name == "feed" ? .opds1 : root.name == "entry" ? .opds1Entry : nil
    }

    static let opds2: MediaType.Sniffer = { context in
        if context.hasMediaType(.opds2) { return .opds2 }
        if context.hasMediaType(.opds2Publication) { return .opds2Publication }
        if context.hasMediaType("application/opds-authentication+json", "application/vnd.opds.authentication.v1.0+json")
        {
            return .opdsAuthentication
        }
        guard let json = try await context.contentAsJSON else { return nil }
        if let links = try await context.contentAsRWPM?.links {
            if links.contains(where: { $0.rels.contains("self") && $0.mediaType == .opds2 }) { return .opds2 }
            let acquisition = "http://opds-spec.org/acquisition"
            if links.contains(where: { $0.rels.contains { $0.hasPrefix(acquisition) } }) { return .opds2Publication }
        }
        return json.has("id", "title", "authentication") ? .opdsAuthentication : nil
    }

    static let lcpLicense: MediaType.Sniffer = { context in
        if context.hasFileExtension("lcpl") || context.hasMediaType(.lcpLicenseDocument) { return .lcpLicenseDocument }
        return try await context.containsJSONKeys("id", "issued", "provider", "encryption") ? .lcpLicenseDocument : nil
    }

    /// Images by their hints alone, as the proposal defines it, for archive entries and manifests.
    static let bitmap: MediaType.Sniffer = { context in
        if context.hasFileExtension("avif") || context.hasMediaType(.avif) { return .avif }
        if context.hasFileExtension("bmp", "dib") || context.hasMediaType("image/bmp", "image/x-bmp") { return .bmp }
        if context.hasFileExtension("gif") || context.hasMediaType(.gif) { return .gif }
        if context.hasFileExtension("jpg", "jpeg", "jpe", "jif", "jfif", "jfi") || context.hasMediaType(.jpeg) {
            return .jpeg
        }
        if context.hasFileExtension("jxl") || context.hasMediaType(.jxl) { return .jxl }
        if context.hasFileExtension("png") || context.hasMediaType(.png) { return .png }
        if context.hasFileExtension("tiff", "tif") || context.hasMediaType("image/tiff", "image/tiff-fx") {
            return .tiff
        }
        if context.hasFileExtension("webp") || context.hasMediaType(.webp) { return .webp }
        return nil
    }

    static let w3cWebPub: MediaType.Sniffer = { context in
        try await context.contentAsJSON?.hasContext("https://www.w3.org/ns/wp-context") == true ? .w3cWPUBManifest : nil
    }

    static let pdf: MediaType.Sniffer = { context in
        if context.hasFileExtension("pdf") || context.hasMediaType(.pdf) { return .pdf }
        return try await context.head.map(Signatures.isPDF) == true ? .pdf : nil
    }
}

extension JSONValue {
    fileprivate func has(_ keys: String...) -> Bool { keys.allSatisfy { self[$0] != nil } }

    /// Whether `@context`, a string or an array of strings and objects, contains `uri`.
    func hasContext(_ uri: String) -> Bool {
        self["@context"]?.stringValue == uri || self["@context"]?.arrayValue?.contains { $0.stringValue == uri } == true
    }
}
