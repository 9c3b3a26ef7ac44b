import FileProviderCore
import Foundation

/// The part of a query that a basic search (RFC 5323, section 5) can express. It finds all items that the query matches,
/// and often more.
///
/// Servers compare in their own ways: letter case, Unicode forms, files without a property. So the
/// search asks only for conditions that no server reads too narrowly, and the query checks each item of the answer.
enum BasicSearch: Equatable {
    /// Nothing is left out: a search would be a listing of everything.
    case everything
    /// Nothing can match.
    case nothing
    /// An expression of the grammar, ready to be sent, and how many operators are in it.
    case condition(String, operators: Int)

    /// How a server names what can be searched.
    struct Dialect: Sendable {
        /// Whether `displayname` is the item's name, which RFC 4918, section 15.2, does not say.
        var hasNames = false
        /// The property that is a file's size.
        var size = "<D:getcontentlength/>"
        /// Whether a time of RFC 3339 is compared with `getlastmodified`.
        var hasTimes = false

        /// Source: Nextcloud developer manual, “WebDAV search”.
        static let nextcloud = Dialect(hasNames: true, size: "<oc:size/>", hasTimes: true)
    }

    /// Nextcloud refuses searches with more operators.
    static let maxOperators = 100

    /// - Parameter isNegated: Whether the search is for items that don't match.
    init(_ query: FileQuery, _ dialect: Dialect, isNegated: Bool = false) {
        switch query {
        case .all: self = isNegated ? .nothing : .everything
        case .none: self = isNegated ? .everything : .nothing
        case .not(let query): self.init(query, dialect, isNegated: !isNegated)
        case .and(let parts): self.init(parts, dialect, isConjunction: !isNegated, isNegated)
        case .or(let parts): self.init(parts, dialect, isConjunction: isNegated, isNegated)
        case .type(let type): self = Self.type(type, isNegated)
        // Where the property is missing, ours says that the negation matches and the server that nothing is known.
        case _ where isNegated: self = .everything
        case .name(let match) where dialect.hasNames: self = Self.like("<D:displayname/>", match)
        case .hidden where dialect.hasNames: self = Self.like("<D:displayname/>", .begins("."))
        case .mimeType(let match): self = Self.like("<D:getcontenttype/>", match)
        case .size(let comparison): self = Self.compare(dialect.size, comparison) { "\($0)" }
        case .modified(let comparison) where dialect.hasTimes: self = Self.modified(comparison)
        default: self = .everything
        }
    }

    private init(_ parts: [FileQuery], _ dialect: Dialect, isConjunction: Bool, _ isNegated: Bool) {
        let parts = parts.map { BasicSearch($0, dialect, isNegated: isNegated) }
        let (absorbing, neutral): (BasicSearch, BasicSearch) =
            isConjunction ? (.nothing, .everything) : (.everything, .nothing)
        if parts.contains(absorbing) {
            self = absorbing
            return
        }
        var text = ""
        var count = 0
        var operators = 1
        for case .condition(let part, let ownOperators) in parts {
            text += part
            count += 1
            operators += ownOperators
        }
        self =
            switch count {
            case 0: neutral
            case 1: .condition(text, operators: operators - 1)
            default: .condition(isConjunction ? "<D:and>\(text)</D:and>" : "<D:or>\(text)</D:or>", operators: operators)
            }
    }

    private static func type(_ type: FileType, _ isNegated: Bool) -> BasicSearch {
        let isFolder = "<D:is-collection/>"
        return switch (type, isNegated) {
        case (.directory, false): .condition(isFolder, operators: 1)
        case (.directory, true), (.regular, false): .condition("<D:not>\(isFolder)</D:not>", operators: 2)
        default: .everything
        }
    }

    private static func compare<Value>(
        _ property: String, _ comparison: FileQuery.Comparison<Value>, _ literal: (Value) -> String
    ) -> BasicSearch {
        let (name, value) =
            switch comparison {
            case .equal(let value): ("eq", value)
            case .less(let value): ("lt", value)
            case .atMost(let value): ("lte", value)
            case .greater(let value): ("gt", value)
            case .atLeast(let value): ("gte", value)
            }
        return .condition(
            "<D:\(name)><D:prop>\(property)</D:prop><D:literal>\(literal(value))</D:literal></D:\(name)>", operators: 1)
    }

    /// Times on the server have no fractions, so the bounds are moved outwards to whole seconds.
    private static func modified(_ comparison: FileQuery.Comparison<Date>) -> BasicSearch {
        func lower(_ date: Date) -> BasicSearch { bound("gte", date, .down) }
        func upper(_ date: Date) -> BasicSearch { bound("lte", date, .up) }
        switch comparison {
        case .less(let date), .atMost(let date): return upper(date)
        case .greater(let date), .atLeast(let date): return lower(date)
        case .equal(let date):
            guard case .condition(let first, _) = lower(date), case .condition(let second, _) = upper(date) else {
                return .everything
            }
            return .condition("<D:and>\(first)\(second)</D:and>", operators: 3)
        }
    }

    private static func bound(_ name: String, _ date: Date, _ rounding: FloatingPointRoundingRule) -> BasicSearch {
        let seconds = date.timeIntervalSince1970.rounded(rounding)
        // Years that are not four digits are written in ways that servers need not know.
        guard abs(seconds) < 100_000_000_000 else { return .everything }
        let text = Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle()).replacing(
            "Z", with: "+00:00")
        return .condition(
            "<D:\(name)><D:prop><D:getlastmodified/></D:prop><D:literal>\(text)</D:literal></D:\(name)>", operators: 1)
    }

    private static func like(_ property: String, _ match: TextMatch) -> BasicSearch {
        let pattern = LikePattern(match).text
        guard pattern.contains(where: { $0 != "%" }) else { return .everything }
        return .condition(
            #"<D:like caseless="yes"><D:prop>\#(property)</D:prop><D:literal>\#(pattern)</D:literal></D:like>"#,
            operators: 1)
    }
}

/// The pattern of a `like` (RFC 5323, section 5.15) that matches at least what a text match does.
private struct LikePattern {
    /// `%` for any text, `_` for one character; nothing in it needs an escape, in XML or in the pattern.
    private(set) var text = ""

    init(_ match: TextMatch) {
        let isPattern = match.kind == .like || match.kind == .glob
        if match.kind == .ends || match.kind == .contains { any() }
        var rest = match.text.precomposedStringWithCanonicalMapping.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*" where isPattern: any()
            case "?" where isPattern: any()
            // Whether it closes, and what is in it, is the query's own affair.
            case "[" where match.kind == .glob:
                any()
                rest = rest[rest.endIndex...]
            case "\\" where isPattern: if let next = rest.popFirst() { add(next, match) } else { any() }
            default: add(scalar, match)
            }
        }
        if match.kind == .begins || match.kind == .contains
            || match.text.unicodeScalars.contains("[") && match.kind == .glob
        {
            any()
        }
    }

    private mutating func any() { if text.last != "%" { text.append("%") } }

    /// What a server may compare in another way than we do stands as a wildcard: other Unicode forms have other
    /// lengths.
    private mutating func add(_ scalar: Unicode.Scalar, _ match: TextMatch) {
        let isLetter = scalar.properties.isAlphabetic
        if !scalar.isASCII || isLetter && match.options.contains(.diacriticInsensitive) { return any() }
        switch scalar {
        // The sign for kelvin is the same letter as K, the long s one as S.
        case "k", "K", "s", "S": text.append("_")
        case "a"..."z", "A"..."Z", "0"..."9", ".", "-", " ": text.unicodeScalars.append(scalar)
        default: text.append("_")
        }
    }
}
