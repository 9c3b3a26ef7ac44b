import Foundation

/// A condition on a text, such as a name.
///
/// Canonically equivalent texts (Unicode) are equal: `é` in one scalar or in two. Bytes of a name that are not UTF-8
/// are compared in the escaped form of ``ProviderPath``, one character for each byte.
public struct TextMatch: Sendable {
    /// How the texts are compared.
    public enum Kind: String, Sendable, Hashable {
        /// The whole text.
        case equals
        /// The start of the text.
        case begins
        /// The end of the text.
        case ends
        /// Any part of the text.
        case contains
        /// `*` matches any text, `?` one character, `\` takes the next character literally: the `LIKE` of predicates.
        case like
        /// As ``like``, and `[a-z]`, `[!x]` match one character of a set: a shell pattern (POSIX.1-2017, XCU 2.13),
        /// without classes such as `[:alpha:]`. Slashes and leading dots are ordinary characters; so is a `[` that is
        /// not closed.
        case glob
    }

    /// The differences to ignore.
    public struct Options: OptionSet, Sendable, Hashable {
        /// 1 for ``caseInsensitive``, 2 for ``diacriticInsensitive``.
        public let rawValue: Int

        /// Creates a set of options; unknown bits have no effect.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// `[c]`: upper and lower case, by Unicode's rules and no language's.
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`: the accents of Latin, Greek and Cyrillic letters.
        public static let diacriticInsensitive = Options(rawValue: 2)

        /// The same options for Foundation.
        var folding: String.CompareOptions {
            var result: String.CompareOptions = []
            if contains(.caseInsensitive) { result.insert(.caseInsensitive) }
            if contains(.diacriticInsensitive) { result.insert(.diacriticInsensitive) }
            return result
        }
    }

    /// How ``text`` is compared.
    public let kind: Kind
    /// The text to look for, as it was given: wildcards and backslashes included.
    public let text: String
    /// The differences to ignore; none by default.
    public let options: Options
    private let pattern: WildcardPattern

    /// Prepares `text` once for any number of comparisons. Every text is a valid pattern.
    public init(_ kind: Kind, _ text: String, options: Options = []) {
        self.kind = kind
        self.text = text
        self.options = options
        pattern = WildcardPattern(kind, TextFolding.scalars(of: text, options.folding))
    }

    /// The whole text, without wildcards.
    public static func equals(_ text: String, options: Options = []) -> Self { Self(.equals, text, options: options) }

    /// Matches the start, without wildcards.
    public static func begins(_ text: String, options: Options = []) -> Self { Self(.begins, text, options: options) }

    /// Matches the end, without wildcards.
    public static func ends(_ text: String, options: Options = []) -> Self { Self(.ends, text, options: options) }

    /// Matches any part, without wildcards.
    public static func contains(_ text: String, options: Options = []) -> Self {
        Self(.contains, text, options: options)
    }

    /// A pattern with `*`, `?` and `\` for the whole text: ``Kind/like``.
    public static func like(_ text: String, options: Options = []) -> Self { Self(.like, text, options: options) }

    /// A shell's pattern for the whole text: ``Kind/glob``.
    public static func glob(_ text: String, options: Options = []) -> Self { Self(.glob, text, options: options) }

    /// Returns whether `other` matches; false for an unknown text.
    ///
    /// - Complexity: Linear in both texts. If `?` or a set is between two stars, the product of that part and `other`.
    public func matches(_ other: String?) -> Bool {
        guard let other else { return false }
        return pattern.matches(TextFolding.scalars(of: other, options.folding))
    }
}

extension TextMatch: Hashable {
    /// Whether both have the same kind, text and options: two patterns that happen to match the same texts are not
    /// equal.
    public static func == (one: TextMatch, other: TextMatch) -> Bool {
        // `String`'s equality would treat `é` in one scalar and in two as equal, though they are different patterns.
        one.kind == other.kind && one.options == other.options
            && one.text.unicodeScalars.elementsEqual(other.text.unicodeScalars)
    }

    /// By kind and text; matches that differ in options alone share a hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(text)
    }
}
