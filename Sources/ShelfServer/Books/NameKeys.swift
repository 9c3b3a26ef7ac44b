import Publication
import SQLiteStorage

/// Makes the keys that a shelf gives to names, so that a feed or a page can link a name without a query.
struct NameKeys {
    private var folding = FoldedKey()

    /// Returns a name as the shelf keeps it, and its key; nil for an empty one.
    mutating func keyed(_ name: String?) -> (name: String, key: String)? {
        guard let name = BookText.nonEmpty(name).map({ BookText.prefix($0, bytes: 1_000) }) else { return nil }
        let folded = folding.key(name)
        // A name of nothing but marks has no other key.
        return (name, folded.isEmpty ? name : folded)
    }
}
