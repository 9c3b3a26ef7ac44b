/// A page of a long list.
struct ListPaging: Sendable {
    /// The first is 1.
    let number: Int
    /// The number of items on a full page.
    let size: Int
    /// The number of items on all pages.
    let total: Int

    /// The page that a request asks for; nil for one that can't be.
    static func number(_ parameters: RequestParameters) -> Int? {
        guard let text = parameters["page"] else { return 1 }
        guard let number = Int(text), (1...1_000_000).contains(number) else { return nil }
        return number
    }

    /// The number of pages; one without items, too.
    var count: Int { max(1, (total + size - 1) / size) }

    /// Whether the feed has this page.
    var exists: Bool { number <= count }
}
