import Foundation
import Publication
import WebServer

/// Answers with the reading page, whose contents and chapters can be read without JavaScript.
enum PageAnswer {
    private static let template = String(decoding: PackageResources.page_html, as: UTF8.self)

    static func make(for request: ServerRequest, _ context: AnswerContext) async -> ServerResponse {
        let page = PageTemplate(template).filled(with: await values(context))
        return MadeAnswer.make(
            Data(page.utf8), type: "text/html; charset=utf-8", fields: ContentPolicy.page(context.address), for: request
        )
    }

    /// What stands for the template's names, as HTML.
    private static func values(_ context: AnswerContext) async -> [String: String] {
        let metadata = context.publication.metadata
        let language = metadata.languages.first ?? ""
        let contents = PageContents(context)
        let links = await PublicationFacts.contents(context)
        let list = contents.list(links)
        return [
            "base": PageTemplate.escaped(context.base),
            "title": PageTemplate.escaped(metadata.title.string(for: metadata.languages)),
            "language": PageTemplate.escaped(language),
            "direction": direction(of: language),
            "authors": PageTemplate.escaped(metadata.authors.map(\.name.string).joined(separator: ", ")),
            "description": PageTemplate.escaped(PageTemplate.plainText(metadata.description ?? "")),
            "contents": list.isEmpty ? contents.list(untitled(context.publication.readingOrder)) : list,
            "cover": await cover(context),
            "home": home(context),
            "places": context.places == nil ? "" : "kept",
        ]
    }

    /// The link back to the server's list of books; empty if there is none.
    private static func home(_ context: AnswerContext) -> String {
        guard let home = context.home else { return "" }
        return """
            <a class="home" href="\(PageTemplate.escaped(home.address))"><svg viewBox="0 0 24 24" aria-hidden="true">\
            <path d="M14.5 5L8 12l6.5 7"/></svg><span>\(PageTemplate.escaped(home.title))</span></a>
            """
    }

    private static func cover(_ context: AnswerContext) async -> String {
        guard let cover = await PublicationFacts.cover(context),
            let address = context.served.links.address(of: cover.href)
        else { return "" }
        return "<img src=\"\(PageTemplate.escaped(context.base + address))\" alt=\"\">"
    }

    /// Numbers what has no title.
    private static func untitled(_ order: [Link]) -> [Link] {
        order.enumerated().map { index, link in
            var link = link
            link.title = link.title ?? "\(index + 1)"
            link.children = []
            return link
        }
    }

    /// The direction of text in a language: that of its script, or what the browser makes of the letters.
    private static func direction(of language: String) -> String {
        if language.isEmpty { return "auto" }
        let parts = language.lowercased().split(separator: "-")
        if parts.contains("latn") || parts.contains("cyrl") { return "ltr" }
        if parts.contains("arab") || parts.contains("hebr") { return "rtl" }
        return parts.first.map { backwards.contains($0) } == true ? "rtl" : "ltr"
    }

    private static let backwards: Set<Substring> = [
        "ar", "arc", "ckb", "dv", "fa", "he", "iw", "ji", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi",
    ]
}

/// A table of contents as nested lists of links.
struct PageContents {
    /// Deeper entries, and further ones, are left out: no page could show them.
    private static let deepest = 16
    private static let most = 20_000

    private let context: AnswerContext

    init(_ context: AnswerContext) { self.context = context }

    /// An `ol` element; empty for no links.
    func list(_ links: [Link]) -> String {
        var count = 0
        var text = ""
        write(links, depth: 0, count: &count, to: &text)
        return text
    }

    private func write(_ links: [Link], depth: Int, count: inout Int, to text: inout String) {
        guard !links.isEmpty, depth < Self.deepest, count < Self.most else { return }
        text += "<ol>"
        for link in links where count < Self.most {
            count += 1
            text += "<li>" + entry(link)
            write(link.children, depth: depth + 1, count: &count, to: &text)
            text += "</li>"
        }
        text += "</ol>"
    }

    /// Text alone for what leads out of the publication, or has a scheme that runs something.
    private func entry(_ link: Link) -> String {
        let title = PageTemplate.escaped(link.title ?? link.href)
        guard !link.templated, let address = context.served.links.address(of: link.href) else {
            return "<span>\(title)</span>"
        }
        // A path from the server's root: nothing in it can be read as a scheme.
        return "<a href=\"\(PageTemplate.escaped(context.base + address))\">\(title)</a>"
    }
}
