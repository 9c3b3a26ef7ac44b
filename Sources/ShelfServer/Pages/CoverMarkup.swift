import Shelf

/// Covers on pages: the book's own picture, or a coloured card with its title.
enum CoverMarkup {
    /// The number of colours of made covers: `tint-0` and so on in `shelf.css`.
    static let tints = 12

    /// Where a cover is.
    enum Use {
        /// In a list, beside the title.
        case list
        /// On the page of the book.
        case page
    }

    /// Returns an element `span` of the class `cover`.
    ///
    /// It is not known yet whether some books have a cover. Their picture lies on the made one, which shows if there is none.
    static func make(_ shown: ShownBook, _ use: Use, base: String) -> HTML {
        let card = shown.book.coverState == .known ? nil : made(shown)
        return "<span class=\"cover\">\(card)\(picture(shown, use, base: base))</span>"
    }

    /// The colour of a made cover, which stays with the title.
    static func tint(of title: String) -> Int {
        // FNV-1a. Hasher has another seed in every process.
        var hash: UInt32 = 2_166_136_261
        for byte in title.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int((hash ^ hash >> 15) % UInt32(tints))
    }

    private static func picture(_ shown: ShownBook, _ use: Use, base: String) -> HTML? {
        guard let address = BookAddress.cover(of: shown.book, size: use == .list ? 240 : 800) else { return nil }
        switch use {
        // The title is beside it, and would be read twice.
        case .list: return "<img src=\"\(base + address)\" alt=\"\" loading=\"lazy\" decoding=\"async\">"
        case .page:
            let text = shown.book.coverState == .known ? "Cover of “\(shown.title)”" : ""
            return "<img src=\"\(base + address)\" alt=\"\(text)\" decoding=\"async\">"
        }
    }

    private static func made(_ shown: ShownBook) -> HTML {
        let title = String(shown.title.prefix(200))
        let byline = String(shown.byline.prefix(100))
        return """
            <span class="made tint-\(tint(of: shown.title))" lang="\(shown.language)" dir="auto" aria-hidden="true">\
            <span class="made-title">\(title)</span><span class="made-by">\(byline)</span></span>
            """
    }
}
