import Foundation

import MediaTypes
@testable import Publication

extension ContentDocument {
    /// A well-formed document with `body` in its body.
    static func xhtml(
        _ body: String, head: String = "<title>T</title>", attributes: String = "",
        limits: ContentLimits = ContentLimits()
    ) throws -> ContentDocument {
        try parse(Data(markup(body, head: head, attributes: attributes).utf8), link: chapter, limits: limits)
    }

    static func markup(_ body: String, head: String = "<title>T</title>", attributes: String = "") -> String {
        """
        <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" \
        xmlns:xlink="http://www.w3.org/1999/xlink" \(attributes)><head>\(head)</head><body>\(body)</body></html>
        """
    }

    /// What browsers make of `text`.
    static func html(_ text: String, limits: ContentLimits = ContentLimits()) throws -> ContentDocument {
        try parse(Data(text.utf8), link: Link(href: "c.html", type: "text/html"), limits: limits)
    }

    static let chapter = Link(href: "text/c.xhtml", type: "application/xhtml+xml")

    /// What the document holds, element by element.
    var elements: [ContentElement] {
        let manifest = Manifest(metadata: Metadata(title: "A Book"))
        let places = SectionPlaces(self, ContentSection(index: 0, link: Self.chapter), in: manifest)
        return blocks.indices.map { places.element($0, positions: PositionTable([])) }
    }

    /// Each element in one line.
    var lines: [String] { elements.map(\.line) }
}

extension ContentElement {
    /// The kind of the element and what it holds, such as `h1 A Title` or `image text/a.png|A lamp`.
    var line: String {
        switch body {
        case .text(let text): (text.isFootnote ? "note " : "") + text.role.word + " " + text.string
        case .image(let media): "image " + media.line
        case .audio(let media): "audio " + media.line
        case .video(let media): "video " + media.line
        case .pageBreak(let label): "page " + (label ?? "-")
        }
    }
}

extension ContentElement.Media {
    fileprivate var line: String { link.href + "|" + (description ?? "-") }
}

extension ContentElement.Role {
    fileprivate var word: String {
        switch self {
        case .paragraph: "p"
        case .heading(let level): "h\(level)"
        case .listItem: "li"
        case .quotation: "quote"
        case .caption: "caption"
        case .tableCell: "td"
        case .preformatted: "pre"
        }
    }
}
