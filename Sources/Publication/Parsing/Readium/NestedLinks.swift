/// Counts the malformed links of a Readium manifest inside other links and further collections, which parsing ignores.
///
/// - Complexity: One pass over the manifest.
struct NestedLinks {
    private var counts: [String: Int] = [:]

    init(_ manifest: JSONValue) {
        for (key, value) in manifest.objectValue ?? [:] where key != "metadata" && key != "@context" {
            if ["links", "readingOrder", "spine", "resources", "toc"].contains(key) {
                for link in value.oneOrMany { lookInto(link) }
            } else {
                let found = collection(value)
                if found.hasLinks, found.invalid > 0 { counts["the further collections", default: 0] += found.invalid }
            }
        }
    }

    /// The number of malformed links by kind of list, without zeros.
    var invalid: [(list: String, count: Int)] { counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    /// JSON's limit bounds the depth.
    private mutating func lookInto(_ link: JSONValue) {
        for key in ["alternate", "children"] {
            for element in link[key]?.oneOrMany ?? [] {
                if element["href"]?.stringValue == nil {
                    counts["“\(key)”", default: 0] += 1
                } else {
                    lookInto(element)
                }
            }
        }
    }

    /// A role has links, collections with links, or both. A member with neither is kept unchanged, and nothing in it
    /// counts as invalid.
    private mutating func collection(_ value: JSONValue) -> (hasLinks: Bool, invalid: Int) {
        var total = (hasLinks: false, invalid: 0)
        for element in value.arrayValue ?? (value["href"] == nil ? [value] : []) {
            let found = element["href"] == nil ? members(element) : link(element)
            total.hasLinks = total.hasLinks || found.hasLinks
            total.invalid += found.hasLinks ? found.invalid : 1
        }
        return total
    }

    private mutating func members(_ json: JSONValue) -> (hasLinks: Bool, invalid: Int) {
        var total = (hasLinks: false, invalid: 0)
        for (key, value) in json.objectValue ?? [:] where key != "metadata" {
            let elements = key == "links" ? value.oneOrMany.map { link($0) } : [collection(value)].filter(\.hasLinks)
            for found in elements {
                total.hasLinks = total.hasLinks || found.hasLinks
                total.invalid += found.invalid
            }
        }
        return total
    }

    private mutating func link(_ json: JSONValue) -> (hasLinks: Bool, invalid: Int) {
        guard json["href"]?.stringValue != nil else { return (false, 1) }
        lookInto(json)
        return (true, 0)
    }
}
