/// Which of the known mistakes a message had.
struct MendedForms {
    var openDeclaration = false
    var doubledTimestamp = false
    var unclosedCollections = false
    var looseAmpersand = false
    var madeUpApostrophe = false
    var illegalCharacter = false
    var halfCharacter = false

    /// A sentence about each.
    var sentences: [String] {
        let all: [(Bool, String)] = [
            (openDeclaration, "The XML declaration lacks a quotation mark."),
            (doubledTimestamp, "The timestamp is introduced twice."),
            (unclosedCollections, "A list of collections is opened again where it should be closed."),
            (looseAmpersand, "An “&” that begins no known reference was taken as text."),
            (madeUpApostrophe, "“&squot;” was taken as an apostrophe."),
            (illegalCharacter, "Characters that XML does not allow were replaced."),
            (halfCharacter, "Halves of characters were replaced."),
        ]
        return all.compactMap { $0 ? $1 : nil }
    }
}
