public import FileProviderCore
import Foundation

/// Which items take part. What does not is left alone on both sides: neither copied nor removed.
public struct SyncFilter: Sendable, Hashable {
    private struct Rule: Sendable, Hashable {
        let includes: Bool
        /// Of a pattern for the whole path, what stands between the slashes; else one.
        let patterns: [String]
        let foldersOnly: Bool
        let matchesPath: Bool
    }

    private var rules: [Rule] = []

    /// Everything takes part.
    public init() {}

    /// Reads rules such as `- *.tmp`, `+ *.epub`, `- cache/`, `- /private/**`: of those that match an item the first
    /// decides, and what no rule matches takes part.
    ///
    /// Patterns are those of fnmatch(3), character by character, and match names in any Unicode normalization. One
    /// without a slash is matched with the name, another with the whole path from the folder down, name by name, where
    /// `**` stands for any number of names: `/a/**` is all in `a`, `**/b/*.c` what matches `*.c` in any `b`. A slash at
    /// the end means folders only. What lies in a folder left out is left out, too.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for a rule that does not begin with `+` or `-`, is empty, or
    ///   has a bracket that is never closed or a backslash with nothing behind it.
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

    /// Whether an item takes part, apart from the folders it lies in.
    ///
    /// - Parameter path: Counted from the synced folder.
    public func includes(_ path: ProviderPath, isFolder: Bool) -> Bool {
        let rule = rules.first { rule in
            if rule.foldersOnly, !isFolder { return false }
            let names =
                rule.matchesPath ? Self.names(in: SyncKey.normalized(path.string)) : [SyncKey.normalized(path.name)]
            return Self.matches(names[...], rule.patterns[...])
        }
        return rule?.includes ?? true
    }

    /// What fnmatch(3) would take for plain characters, and nobody means so.
    private static func flaw(of pattern: String) -> String? {
        var rest = pattern.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\\", rest.popFirst() == nil {
                return "a backslash with nothing behind it; one of a name is “\\\\”"
            }
            if scalar == "[", !skipBracket(&rest) { return "a “[” without its “]”; one of a name is “\\[”" }
        }
        return nil
    }

    /// Takes what stands between brackets, behind the first one. Source: POSIX.1-2017, XBD 9.3.5.
    private static func skipBracket(_ rest: inout Substring.UnicodeScalarView) -> Bool {
        if rest.first == "!" || rest.first == "^" { rest.removeFirst() }
        var isFirst = true
        while let scalar = rest.popFirst() {
            if scalar == "]", !isFirst { return true }
            isFirst = false
            if scalar == "\\" { _ = rest.popFirst() }
            guard scalar == "[", let kind = rest.first, [":", ".", "="].contains(kind) else { continue }
            // Of a class such as `[:alpha:]` the first bracket that closes is none of the set's.
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
        // This thread's, for this call.
        let before = uselocale(characters)
        defer { uselocale(before) }
        return fnmatch(pattern, name, 0) == 0
    }

    // Unsafe: it is never changed. Programs begin in a locale in which a character is a byte.
    nonisolated(unsafe) private static let characters = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)
}
