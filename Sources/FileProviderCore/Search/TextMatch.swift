import Foundation

/// A condition on a text, such as a name.
///
/// Texts that Unicode calls canonically equivalent are the same here: `é` in one scalar or in two. What is not UTF-8 in
/// a name is compared in the escaped form of ``ProviderPath``, one character for each byte.
public struct TextMatch: Sendable {
    /// How the text looked for and the other one are compared.
    public enum Kind: String, Sendable, Hashable {
        /// The whole text.
        case equals
        /// What stands at the start.
        case begins
        /// What stands at the end.
        case ends
        /// What stands anywhere.
        case contains
        /// `*` stands for any text, `?` for one character, `\` takes the next character as it is: the `LIKE` of
        /// predicates.
        case like
        /// As ``like``, and `[a-z]`, `[!x]` stand for one character of a set: the pattern of a shell (POSIX.1-2017, XCU
        /// 2.13), without classes such as `[:alpha:]`. Slashes and leading dots are characters like others; a `[` that
        /// nothing closes is itself.
        case glob
    }

    /// What makes no difference.
    public struct Options: OptionSet, Sendable, Hashable {
        /// 1 for ``caseInsensitive``, 2 for ``diacriticInsensitive``.
        public let rawValue: Int

        /// Bits that no option has change nothing in what matches.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// `[c]`: upper and lower case, by Unicode's rules and no language's.
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`: the accents of Latin, Greek and Cyrillic letters.
        public static let diacriticInsensitive = Options(rawValue: 2)

        /// The same for Foundation.
        var folding: String.CompareOptions {
            var result: String.CompareOptions = []
            if contains(.caseInsensitive) { result.insert(.caseInsensitive) }
            if contains(.diacriticInsensitive) { result.insert(.diacriticInsensitive) }
            return result
        }
    }

    /// How ``text`` is compared.
    public let kind: Kind
    /// What is looked for, as it was given: wildcards and backslashes included.
    public let text: String
    /// Differences that are overlooked; none unless said otherwise.
    public let options: Options
    private let pattern: WildcardPattern

    /// Prepares `text` once, for as many comparisons as come. Any text is a pattern; none is refused.
    public init(_ kind: Kind, _ text: String, options: Options = []) {
        self.kind = kind
        self.text = text
        self.options = options
        pattern = WildcardPattern(kind, TextFolding.scalars(of: text, options.folding))
    }

    /// The whole text, without wildcards.
    public static func equals(_ text: String, options: Options = []) -> Self { Self(.equals, text, options: options) }

    /// What stands at the start, without wildcards.
    public static func begins(_ text: String, options: Options = []) -> Self { Self(.begins, text, options: options) }

    /// What stands at the end, without wildcards.
    public static func ends(_ text: String, options: Options = []) -> Self { Self(.ends, text, options: options) }

    /// What stands anywhere, without wildcards.
    public static func contains(_ text: String, options: Options = []) -> Self {
        Self(.contains, text, options: options)
    }

    /// A pattern with `*`, `?` and `\` for the whole text: ``Kind/like``.
    public static func like(_ text: String, options: Options = []) -> Self { Self(.like, text, options: options) }

    /// A shell's pattern for the whole text: ``Kind/glob``.
    public static func glob(_ text: String, options: Options = []) -> Self { Self(.glob, text, options: options) }

    /// Whether `other` is so; an unknown text is not.
    ///
    /// - Complexity: Linear in both texts. Where `?` or a set stands between two stars, the product of that part and
    ///   `other`.
    public func matches(_ other: String?) -> Bool {
        guard let other else { return false }
        return pattern.matches(TextFolding.scalars(of: other, options.folding))
    }
}

extension TextMatch: Hashable {
    /// Whether both were made of the same: two patterns that happen to match the same texts are not equal.
    public static func == (one: TextMatch, other: TextMatch) -> Bool {
        // Not by `String`'s own equality, for which `é` in one scalar and in two are equal texts, though not equal
        // patterns.
        one.kind == other.kind && one.options == other.options
            && one.text.unicodeScalars.elementsEqual(other.text.unicodeScalars)
    }

    /// By kind and text; matches that differ in options alone share a hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(text)
    }
}
