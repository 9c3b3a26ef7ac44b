import FileProviderCore
import MediaTypes
import Publication

/// The media type of a resource as browsers need it.
struct ServedType: Sendable {
    let mediaType: MediaType

    /// Takes the manifest's type; if that says nothing, the type that the extension names, else what the fetcher found.
    ///
    /// - Parameters:
    ///   - link: The manifest's link, or one with nothing but an href.
    ///   - found: The resource's link.
    init(_ link: Link, found: Link) {
        let declared = link.type.flatMap { MediaType($0) }
        let known = declared.flatMap { MediaType.binary.contains($0) ? nil : $0 }
        let ofFetcher = found.type.flatMap { MediaType($0) }
        self.init(known ?? Self.type(ofName: link.href) ?? ofFetcher ?? declared ?? .binary)
    }

    /// Replaces names that browsers don't know by those that they do. XHTML stays XHTML, and a `charset` is kept.
    init(_ mediaType: MediaType) {
        guard let name = Self.name(for: mediaType) else {
            self.mediaType = mediaType
            return
        }
        let charset = mediaType.parameters["charset"].flatMap { MediaType("\(name);charset=\($0)") }
        self.mediaType = charset ?? MediaType(name) ?? mediaType
    }

    /// The value of `Content-Type`. It has a `charset` only if the publication declares one.
    var field: String { mediaType.string }

    var isHTML: Bool { mediaType.isHTML }

    /// Whether a browser parses it as XHTML.
    var isXHTML: Bool { MediaType.xhtml.contains(mediaType) }

    /// Whether a browser shows it as a document that may have scripts: HTML, SVG and any other XML.
    var isActive: Bool {
        isHTML || ["xml", "xsl"].contains(mediaType.subtype) || mediaType.subtype.hasSuffix("+xml")
    }

    /// Whether it is a font, as far as the type tells.
    var isFont: Bool {
        mediaType.type == "font" || mediaType == .binary
            || ["application/vnd.ms-fontobject", "application/x-font-type1"].contains(mediaType.essence)
    }

    /// Whether it gains by compression and is not read by ranges: no sound, no video, no picture of pixels, no PDF, and
    /// nothing that is compressed already.
    var isCompressible: Bool {
        let isMedium = mediaType.isAudio || mediaType.isVideo || mediaType.isBitmap || MediaType.pdf.contains(mediaType)
        return !isMedium && !mediaType.isZIP && !Self.packed.contains(mediaType.essence)
    }

    private static let packed: Set<String> = [
        "font/woff", "font/woff2", "application/gzip", "application/vnd.rar", "application/x-7z-compressed",
        "application/x-bzip2", "application/x-xz", "application/zstd", "image/heic", "image/heif",
    ]

    // MARK: Names

    /// Nil for a type that can stay as it is.
    private static func name(for type: MediaType) -> String? {
        if type.isHTML { return nil }
        if let name = oldNames[type.essence] { return name }
        guard let known = MediaType.known(type), known.essence != type.essence else { return nil }
        return known.essence
    }

    /// Types of the Open eBook Publication Structure 1.2, which EPUB 2 allows.
    private static let oldNames = ["text/x-oeb1-document": "text/html", "text/x-oeb1-css": "text/css"]

    /// The table of known extensions has one type for HTML and XHTML.
    private static func type(ofName href: String) -> MediaType? {
        let path = href.prefix { $0 != "?" && $0 != "#" }
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        let fileExtension = name[name.index(after: dot)...].lowercased()
        if ["xhtml", "xht"].contains(fileExtension) { return .xhtml }
        if fileExtension == "opf" { return MediaType("application/oebps-package+xml") }
        return MediaType.known(fileExtension: fileExtension)
    }
}
