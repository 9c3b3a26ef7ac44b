/// The known mistakes that a message had.
struct MendedForms {
    var openDeclaration = false
    var doubledTimestamp = false
    var unclosedCollections = false
    var looseAmpersand = false
    var madeUpApostrophe = false
    var illegalCharacter = false
    var halfCharacter = false

    /// One sentence for each mistake.
    var sentences: [String] {
        let all: [(Bool, String)] = [
            (openDeclaration, "The XML declaration lacks a quotation mark."),
            (doubledTimestamp, "The attribute “timestamp” is repeated."),
            (unclosedCollections, "A list of collections has a second start tag instead of its end tag."),
            (looseAmpersand, "An “&” that begins no known reference was read as text."),
            (madeUpApostrophe, "“&squot;” was read as an apostrophe."),
            (illegalCharacter, "Characters that XML does not allow were replaced."),
            (halfCharacter, "Unpaired surrogates were replaced."),
        ]
        return all.compactMap { $0 ? $1 : nil }
    }
}
