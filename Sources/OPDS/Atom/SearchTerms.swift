/// What a search looks for.
public struct SearchTerms: Hashable, Sendable {
    /// Words to find anywhere.
    public var text: String
    /// Words of the title.
    public var title: String?
    /// Words of an author's name.
    public var author: String?
    /// Words of a contributor's name.
    public var contributor: String?
    /// A BCP 47 tag.
    public var language: String?
    /// The wanted number of results on a page.
    public var count: Int?
    /// The number of the first wanted result; the first of all is 1.
    public var startIndex: Int?
    /// The number of the wanted page; the first is 1.
    public var startPage: Int?

    /// A search for words anywhere, in a title, or in an author's name.
    public init(_ text: String = "", title: String? = nil, author: String? = nil) {
        self.text = text
        self.title = title
        self.author = author
    }

    /// The terms by the parameters of OpenSearch that they fill (OpenSearch 1.1; OPDS 1.2, section 3).
    var values: [String: String] {
        let values: [String: String?] = [
            "title": title, "author": author, "contributor": contributor, "language": language,
            "count": count.map { String($0) }, "startIndex": startIndex.map { String($0) },
            "startPage": startPage.map { String($0) }, "inputEncoding": "UTF-8", "outputEncoding": "UTF-8",
        ]
        return values.compactMapValues { $0 }
    }

    /// Words for a search that has no field for `fields`.
    func text(with fields: [String?]) -> String {
        ([text] + fields.compactMap(\.self)).filter { !$0.isEmpty }.joined(separator: " ")
    }
}
