/// Links to the pages of a long list: the first, the last, those around this one, and the ways forth and back.
struct PageNumbers: Sendable {
    /// This page; the first is 1.
    let number: Int
    /// The number of pages.
    let count: Int

    /// The numbers that have a link, in ascending order.
    var shown: [Int] {
        let around = max(1, number - 1)...max(1, min(count, number + 1))
        return Set([1, max(1, count)] + Array(around)).sorted()
    }

    /// A landmark with the links; empty for a list of one page.
    ///
    /// - Parameter address: Returns the address of a page.
    func links(_ address: (Int) -> String) -> HTML {
        guard count > 1 else { return "" }
        var items: [HTML] = []
        if number > 1 { items.append("<li><a rel=\"prev\" href=\"\(address(number - 1))\">Previous</a></li>") }
        var last = 0
        for page in shown {
            if page > last + 1 { items.append("<li><span aria-hidden=\"true\">…</span></li>") }
            let mark: HTML = page == number ? " aria-current=\"page\"" : ""
            let text = PageText.grouped(page)
            items.append(
                "<li><a href=\"\(address(page))\"\(mark)><span class=\"label\">Page </span>\(text)</a></li>")
            last = page
        }
        if number < count { items.append("<li><a rel=\"next\" href=\"\(address(number + 1))\">Next</a></li>") }
        return "<nav class=\"pages\" aria-label=\"Pages\"><ul>\(items)</ul></nav>"
    }
}
