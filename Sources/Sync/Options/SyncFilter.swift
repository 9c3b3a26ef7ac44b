public import FileProviderCore
import Foundation

/// Selects the items to sync. Excluded items are left alone on both sides: neither copied nor removed.
public struct SyncFilter: Sendable, Hashable {
    private struct Rule: Sendable, Hashable {
        let includes: Bool
        /// The names between the slashes of a pattern for the whole path; else one pattern.
        let patterns: [String]
        let foldersOnly: Bool
        let matchesPath: Bool
    }

    private var rules: [Rule] = []

    /// Creates a filter that includes everything.
    public init() {}

    /// Parses rules such as `- *.tmp`, `+ *.epub`, `- cache/`, `- /private/**`. The first rule that matches an item
    /// decides; an item that no rule matches is included.
    ///
    /// Patterns are those of fnmatch(3), compared character by character, and match names in any Unicode normalization.
    /// A pattern without a slash matches the name. One with a slash matches the whole path below the synced folder,
    /// name by name, and `**` stands for any number of names: `/a/**` matches everything in `a`, `**/b/*.c` every `*.c`
    /// in any `b`. A trailing slash restricts a rule to folders. The content of an excluded folder is excluded.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` if a rule does not begin with `+` or `-`, is empty, or has an
    ///   unclosed bracket or a trailing backslash.
    public init(_ rules: [String]) throws {
        for text in rules {
            var pattern = String(text.dropFirst().drop { $0 == " " })
            guard let sign = text.first, sign == "+" || sign == "-", !pattern.isEmpty, pattern != "/" else {
                throw FileError.make(
                    .fileReadInvalidFileName, path: text,
                    sentence: "The filter “\(text)” is not “+ PATTERN” or “- PATTERN”.")
            }
            pattern = SyncKey.normalized(pattern)
            let foldersOnly = pattern.hasSuffix("/")
            if foldersOnly { pattern.removeLast() }
            let matchesPath = pattern.contains("/")
            let patterns = matchesPath ? Self.names(in: pattern) : [pattern]
            if let flaw = patterns.lazy.compactMap(Self.flaw).first {
                throw FileError.make(
                    .fileReadInvalidFileName, path: text, sentence: "The filter “\(text)” has \(flaw).")
            }
            self.rules.append(
                Rule(includes: sign == "+", patterns: patterns, foldersOnly: foldersOnly, matchesPath: matchesPath))
        }
    }

    /// Returns whether the rules include an item. The folders above it are not considered.
    ///
    /// - Parameter path: The path, relative to the synced folder.
    public func includes(_ path: ProviderPath, isFolder: Bool) -> Bool {
        let rule = rules.first { rule in
            if rule.foldersOnly, !isFolder { return false }
            let names =
                rule.matchesPath ? Self.names(in: SyncKey.normalized(path.string)) : [SyncKey.normalized(path.name)]
            return Self.matches(names[...], rule.patterns[...])
        }
        return rule?.includes ?? true
    }

    /// Returns a syntax error that fnmatch(3) would silently treat as plain characters.
    private static func flaw(of pattern: String) -> String? {
        var rest = pattern.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\\", rest.popFirst() == nil {
                return "a trailing backslash; in a name, write “\\\\”"
            }
            if scalar == "[", !skipBracket(&rest) { return "a “[” without its “]”; in a name, write “\\[”" }
        }
        return nil
    }

    /// Skips a bracket expression after its opening bracket. Source: POSIX.1-2017, XBD 9.3.5.
    private static func skipBracket(_ rest: inout Substring.UnicodeScalarView) -> Bool {
        if rest.first == "!" || rest.first == "^" { rest.removeFirst() }
        var isFirst = true
        while let scalar = rest.popFirst() {
            if scalar == "]", !isFirst { return true }
            isFirst = false
            if scalar == "\\" { _ = rest.popFirst() }
            guard scalar == "[", let kind = rest.first, [":", ".", "="].contains(kind) else { continue }
            // The bracket that closes a class such as `[:alpha:]` does not close the set.
            guard
                let end = rest.dropFirst().indices.first(where: {
                    rest[$0] == kind && rest[rest.index(after: $0)...].first == "]"
                })
            else { continue }
            rest = rest[rest.index(end, offsetBy: 2)...]
        }
        return false
    }

    private static func names(in path: String) -> [String] { path.split(separator: "/").map(String.init) }

    private static func matches(_ names: ArraySlice<String>, _ patterns: ArraySlice<String>) -> Bool {
        guard let pattern = patterns.first else { return names.isEmpty }
        let rest = patterns.dropFirst()
        if pattern == "**" {
            if rest.isEmpty { return !names.isEmpty }
            return (names.startIndex...names.endIndex).contains { matches(names[$0...], rest) }
        }
        guard let name = names.first, matches(name, pattern) else { return false }
        return matches(names.dropFirst(), rest)
    }

    private static func matches(_ name: String, _ pattern: String) -> Bool {
        guard let characters else { return fnmatch(pattern, name, 0) == 0 }
        // Changes the locale of this thread only, for this call.
        let before = uselocale(characters)
        defer { uselocale(before) }
        return fnmatch(pattern, name, 0) == 0
    }

    // Unsafe, but never changed. Programs start in a locale in which a character is a byte.
    nonisolated(unsafe) private static let characters = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)
}
