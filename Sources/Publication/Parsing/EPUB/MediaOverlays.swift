import FileProviderCore
public import Foundation
import MediaTypes
import SafeXML

/// Serves the media overlays of an EPUB as guided navigation documents, converted from SMIL when they are read.
///
/// The overlay at `audio/c1.smil` is at `~readium/guided-navigation/audio/c1.smil.json`.
final class MediaOverlays: Fetcher {
    private static let prefix = "~readium/guided-navigation/"
    private static let suffix = ".json"
    /// Bytes of SMIL that are read, and elements in it.
    static let limits = XMLLimits(bytes: 16 << 20, elements: 200_000)

    private let base: any Fetcher

    /// - Parameter base: Has the SMIL documents; it is not closed with this fetcher.
    init(_ base: any Fetcher) {
        self.base = base
    }

    /// The address of the guided navigation document that is made of the overlay at `overlay`.
    static func href(for overlay: String) -> String { prefix + overlay + suffix }

    /// Whether `link` leads to one of these documents.
    static func accepts(_ link: Link) -> Bool { overlay(of: link.href) != nil }

    /// Always empty: the manifest lists the overlays.
    func links() async throws -> [Link] { [] }

    func get(_ link: Link) -> any Resource {
        guard let href = Self.overlay(of: link.href) else { return EmptyFetcher().get(link) }
        var link = link
        link.type = link.type ?? MediaType.guidedNavigation.string
        return MadeResource(link) { [base] in
            let root = try await EPUBDocuments(fetcher: base, limits: Self.limits).document(href)
            return GuidedNavigationDocument(mediaOverlay: root, href: href).json.data
        }
    }

    private static func overlay(of href: String) -> String? {
        let path = HREFBase.resource(of: href.hasPrefix("/") ? String(href.dropFirst()) : href)
        guard path.hasPrefix(prefix), path.hasSuffix(suffix) else { return nil }
        return String(path.dropFirst(prefix.count).dropLast(suffix.count))
    }
}

extension GuidedNavigationDocument {
    /// Reads a media overlay as guided navigation (EPUB 3.3, section 9; SMIL 3.0).
    ///
    /// A `seq` becomes an object with children, a `par` one with a text and the part of the sound as a media fragment
    /// (`#t=1.5,4`, in seconds to the millisecond). `epub:type` gives the role. Addresses are relative to the root of
    /// the container; references that leave it are left out, and so are objects with nothing to present.
    ///
    /// - Parameter href: The address of the document, for resolving the references in it.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if it is not well-formed, `.fileReadTooLarge` over 16 MiB or
    ///   200,000 elements.
    public init(smil data: Data, href: String) throws {
        self.init(mediaOverlay: try XMLElement.parse(data, limits: MediaOverlays.limits), href: href)
    }

    init(mediaOverlay root: XMLElement, href: String) {
        let reader = MediaOverlayReader(folder: HREFBase.folder(of: href))
        let body = root.first("body")
        let guided = body.map(reader.objects) ?? []
        // A body may name the part of the text that it belongs to.
        let whole = body.map { reader.object($0, children: guided) }
        let saysMore = whole.map { $0.textref != nil || !$0.role.isEmpty } ?? false
        self.init(guided: saysMore && !guided.isEmpty ? [whole].compactMap { $0 } : guided)
    }
}

/// Reads the elements of a media overlay.
private struct MediaOverlayReader {
    let folder: HREFBase

    /// The document's limits bound the depth.
    func objects(in parent: XMLElement) -> [GuidedNavigationObject] {
        parent.children.compactMap { child in
            switch child.name {
            case "seq":
                let children = objects(in: child)
                return children.isEmpty ? nil : object(child, children: children)
            case "par": return pair(child)
            default: return nil
            }
        }
    }

    /// Returns an object with the text and role of a sequence.
    func object(_ element: XMLElement, children: [GuidedNavigationObject]) -> GuidedNavigationObject {
        let text =
            element.attribute("textref", namespace: "http://www.idpf.org/2007/ops") ?? element.attribute("textref")
        return GuidedNavigationObject(textref: text.flatMap(folder.resolve), role: roles(element), children: children)
    }

    private func pair(_ element: XMLElement) -> GuidedNavigationObject? {
        let object = GuidedNavigationObject(
            audioref: element.first("audio").flatMap(sound),
            textref: element.first("text")?.attribute("src").flatMap(folder.resolve),
            imgref: element.first("img")?.attribute("src").flatMap(folder.resolve), role: roles(element))
        return object.isEmpty ? nil : object
    }

    private func roles(_ element: XMLElement) -> [String] { MarkupText.words(element.epubType) }

    /// A part of a sound file (Media Fragments URI 1.0, section 4.2.1). Without a begin it starts with the file.
    private func sound(_ audio: XMLElement) -> String? {
        guard let href = audio.attribute("src").flatMap(folder.resolve) else { return nil }
        let begin = time(audio, "clipBegin", "clip-begin")
        let end = time(audio, "clipEnd", "clip-end").flatMap { $0 > begin ?? 0 ? $0 : nil }
        guard begin != nil || end != nil else { return href }
        let fragment = "#t=\(Self.text(begin ?? 0))" + (end.map { ",\(Self.text($0))" } ?? "")
        return String(href.prefix { $0 != "#" }) + fragment
    }

    /// In seconds; nil if it is not a time within a year.
    private func time(_ audio: XMLElement, _ names: String...) -> Double? {
        guard let text = names.lazy.compactMap({ audio.attribute($0) }).first else { return nil }
        let seconds = MediaClock.seconds(text)
        return seconds.flatMap { (0...31_536_000).contains($0) ? $0 : nil }
    }

    private static func text(_ seconds: Double) -> String {
        let milliseconds = Int((seconds * 1000).rounded())
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        guard rest > 0 else { return String(whole) }
        var digits = String(1000 + rest).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }
}
