import Foundation
import WebServer

/// What all pages of a shelf have in common: the bar on top with search and lists, and the header fields.
struct PageFrame: Sendable {
    /// An entry of the list in the bar.
    enum Place: Equatable, Sendable {
        case books
        case list(ShelfDivision)
    }

    private static let frame = PageFile(PackageResources.frame_html)
    private static let tools = PageFile(PackageResources.tools_html)
    private static let person = PageFile(PackageResources.person_html)

    let context: ShelfContext
    /// The title of the page; nil for the first one.
    var title: String?
    /// Where the page is, for the bar.
    var place: Place?
    /// What was searched for.
    var text = ""

    /// The whole document.
    func document(_ content: HTML) -> HTML {
        let title = title.map { "\($0) · \(context.title)" } ?? context.title
        // A person who is not logged in can search nothing.
        let hasTools = context.settings.isOpen || context.user != nil
        return Self.frame.filled(with: [
            "title": "\(title)", "shelf": "\(context.title)", "base": "\(context.base)",
            "tools": hasTools ? tools : "", "content": content,
        ])
    }

    private var tools: HTML {
        Self.tools.filled(with: [
            "base": "\(context.base)", "query": "\(text)", "person": person, "lists": "\(lists)",
        ])
    }

    private var person: HTML {
        guard let user = context.user, !context.settings.isOpen else { return "" }
        return Self.person.filled(with: [
            "base": "\(context.base)", "name": "\(user.name)", "token": "\(context.formToken)",
        ])
    }

    private var lists: [HTML] {
        let addresses = PageAddresses(base: context.base)
        let books = entry("Books", addresses.books(), .books)
        return [books] + ShelfDivision.lists.map { entry($0.title, addresses.list($0), .list($0)) }
    }

    private func entry(_ title: String, _ address: String, _ place: Place) -> HTML {
        let mark: HTML = place == self.place ? " aria-current=\"page\"" : ""
        return "<li><a href=\"\(address)\"\(mark)>\(title)</a></li>"
    }

    /// The answer with the document. A status other than 200 is not kept.
    func answer(_ content: HTML, status: Int = 200, for request: ServerRequest) -> ServerResponse {
        let (data, type) = (Data(document(content).text.utf8), "text/html; charset=utf-8")
        let fields = PagePolicy.fields(context)
        guard status != 200 else { return MadeAnswer.make(data, type: type, fields: fields, for: request) }
        var answer = ServerResponse(status: status, headers: fields, body: .data(data))
        answer.set("Content-Type", type)
        answer.set("Cache-Control", "no-store")
        return answer
    }
}
