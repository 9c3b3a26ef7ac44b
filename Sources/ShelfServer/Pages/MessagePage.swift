import WebServer

/// A page that says why there is nothing else on it.
enum MessagePage {
    private static let template = PageFile(PackageResources.message_html)

    /// The content of a page.
    ///
    /// - Parameter way: A link that leads on; nil for none.
    static func content(_ heading: String, _ sentence: String, way: PageLink? = nil) -> HTML {
        let link = way.map { way -> HTML in
            "<p><a class=\"button\" href=\"\(way.address)\">\(way.title)</a></p>"
        }
        return template.filled(with: ["heading": "\(heading)", "sentence": "\(sentence)", "way": link ?? ""])
    }

    /// The answer for an address without a page, or for a failure.
    ///
    /// - Parameter sentence: Tells a person what is wrong; nil takes one that fits the status.
    static func answer(
        _ status: Int, sentence: String? = nil, for request: ServerRequest, _ context: ShelfContext
    ) -> ServerResponse {
        let (heading, standard) = words(for: status)
        let frame = PageFrame(context: context, title: heading)
        let way = PageLink(title: "Go to the first page", address: context.base)
        return frame.answer(content(heading, sentence ?? standard, way: way), status: status, for: request)
    }

    private static func words(for status: Int) -> (heading: String, sentence: String) {
        switch status {
        case 400: ("This address is not understood", "It asks for an order or a page that the shelf doesn’t have.")
        case 403: ("This is not allowed", "The form is too old, or another site sent it. Go back and try again.")
        case 404: ("There is nothing here", "The book may have left the shelf, or the address is wrong.")
        case 502: ("The storage can’t be reached", "The storage of this shelf can’t be reached now. Try again later.")
        case 504: ("The storage takes too long", "The storage of this shelf did not answer in time. Try again later.")
        default: ("Something went wrong", "The shelf can’t show this page. Try again later.")
        }
    }
}
