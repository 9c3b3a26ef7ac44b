public import FileProviderCore
import Foundation

/// Which items take part. What does not is left alone on both sides: neither copied nor removed.
public struct SyncFilter: Sendable, Hashable {
    private struct Rule: Sendable, Hashable {
        let includes: Bool
        let pattern: String
        let foldersOnly: Bool
        let matchesPath: Bool
    }

    private var rules: [Rule] = []

    /// Everything takes part.
    public init() {}

    /// Reads rules such as `- *.tmp`, `+ *.epub`, `- cache/`, `- /private/**`: of those that match an item the first decides, and what no
    /// rule matches takes part.
    ///
    /// Patterns are those of fnmatch(3), and match names in any Unicode normalization. One without a slash is matched with the name, another
    /// with the whole path from the folder down, where `*` stops at a slash and `**` does not. A slash at the end means folders only. What
    /// lies in a folder left out is left out, too.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for a rule that does not begin with `+` or `-`, or is empty.
    public init(_ rules: [String]) throws {
        for text in rules {
            var pattern = String(text.dropFirst().drop { $0 == " " })
            guard let sign = text.first, sign == "+" || sign == "-", !pattern.isEmpty, pattern != "/" else {
                throw FileError.make(
                    .fileReadInvalidFileName, path: text, sentence: "The filter “\(text)” is not “+ PATTERN” or “- PATTERN”.")
            }
            pattern = SyncKey.normalized(pattern)
            let foldersOnly = pattern.hasSuffix("/")
            if foldersOnly { pattern.removeLast() }
            let matchesPath = pattern.contains("/")
            if pattern.hasPrefix("/") { pattern.removeFirst() }
            self.rules.append(Rule(includes: sign == "+", pattern: pattern, foldersOnly: foldersOnly, matchesPath: matchesPath))
        }
    }

    /// Whether an item takes part, apart from the folders it lies in.
    ///
    /// - Parameter path: Counted from the synced folder.
    public func includes(_ path: ProviderPath, isFolder: Bool) -> Bool {
        let rule = rules.first { rule in
            if rule.foldersOnly, !isFolder { return false }
            let flags = rule.matchesPath && !rule.pattern.contains("**") ? FNM_PATHNAME : 0
            let text = rule.matchesPath ? String(path.string.dropFirst()) : path.name
            return fnmatch(rule.pattern, SyncKey.normalized(text), flags) == 0
        }
        return rule?.includes ?? true
    }
}
