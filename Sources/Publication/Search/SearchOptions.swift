/// How text is searched for.
public struct SearchOptions: Hashable, Sendable {
    /// Whether `A` and `a` differ.
    public var isCaseSensitive = false
    /// Whether `é` and `e` differ.
    public var isDiacriticSensitive = false
    /// Whether full width, half width and compatibility forms of a character differ (`Ａ` and `A`, `ﬁ` and `fi`).
    public var isWidthSensitive = false
    /// Whether what is found begins and ends with a word, by the language of the text.
    public var wholeWords = false
    /// Characters of ``Locator/Text-swift.struct/before`` and ``Locator/Text-swift.struct/after``, each.
    public var contextLength = 60
    /// The most locators on a page.
    public var pageSize = 100
    /// The most locators altogether.
    public var limit = 100_000
    /// Whether sections without hits give a page without locators, too, so that an app can show how far the search is.
    public var includesEmptyPages = false
    /// Where to begin: the index of a resource in the reading order.
    public var firstResource = 0
    /// Locators of the first resource to leave out.
    public var skipped = 0
    /// The page of a PDF document to begin with, from 1.
    var firstPage = 1

    /// Options that fold everything.
    public init() {}
}
