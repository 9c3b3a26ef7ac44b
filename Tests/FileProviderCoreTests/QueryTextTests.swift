import FileProviderCore
import Foundation
import Testing

/// Conditions on texts: what matches, and how long it takes at worst.
@Suite struct QueryTextTests {
    @Test(arguments: [
        (TextMatch.equals("a"), "a", true), (.equals("a"), "A", false),
        (.equals("a", options: .caseInsensitive), "A", true),
        (.equals(""), "", true), (.equals(""), "a", false),
        (.begins("ab"), "abc", true), (.begins("abc"), "ab", false), (.begins(""), "", true),
        (.ends("bc"), "abc", true),
        (.ends("abcd"), "abc", false),
        (.contains("b"), "abc", true), (.contains(""), "", true), (.contains("aab"), "aaaab", true),
        (.contains("abd"), "abcabc", false),
        (.equals("é"), "e\u{301}", true), (.equals("é"), "e", false),
        (.equals("é", options: .diacriticInsensitive), "e", true),
        (.contains("strasse", options: .caseInsensitive), "Hauptstraße", true),
        (.ends("Å", options: [.caseInsensitive, .diacriticInsensitive]), "XA", true),
        (.begins("й", options: .diacriticInsensitive), "иx", true),
        (.begins("Σ", options: .caseInsensitive), "ς", true),
        (.equals("*"), "x", false), (.contains("?"), "a?b", true), (.like("a*c"), "abbc", true),
        (.like("a?c"), "ac", false),
        (.like("[a]"), "a", false), (.like("[a]"), "[a]", true),
        (.like(#"a\*"#), "a*", true), (.like(#"a\*"#), "ab", false), (.glob("*.[ch]"), "x.h", true),
        (.glob("*.[ch]"), "x.o", false),
        (.glob("[!a]*"), "a", false),
        (.glob("[!a]*"), "b", true), (.glob("[^a]"), "b", true), (.glob("[]a]"), "]", true), (.glob("[a-]"), "-", true),
        (.glob("["), "[", true), (.glob("[a"), "[a", true), (.glob("[a[b"), "[a[b", true),
        (.glob(#"[\]]"#), "]", true), (.glob("[z-a]"), "m", false),
        (.glob("*.EPUB", options: .caseInsensitive), "x.epub", true),
        (.glob("[A-F]*", options: .caseInsensitive), "beta", true), (.glob("?"), "é", true),
        (.glob("?"), "e\u{301}", true), (.glob("??"), "🎈", false), (.glob("*"), "", true), (.glob(""), "", true),
        (.glob(""), "a", false),
        (.glob("a**b"), "ab", true), (.glob("*a"), ".a", true), (.glob("a*b*c"), "a/b/c", true),
    ])
    func `a text matches or not`(_ match: TextMatch, _ text: String, _ expected: Bool) {
        #expect(match.matches(text) == expected, "\(match) \(text)")
    }

    @Test func `an unknown text matches nothing`() { #expect(!TextMatch.like("*").matches(nil)) }

    @Test func `equal patterns are equal by scalars, not by what they mean`() {
        #expect(TextMatch.glob("[é]") == .glob("[é]"))
        #expect(TextMatch.glob("[e\u{301}]") != .glob("[\u{E9}]"))
        #expect(TextMatch.glob("a") != .like("a") && TextMatch.glob("a") != .glob("a", options: .caseInsensitive))
    }

    @Test func `names that are not UTF-8 match byte by byte`() throws {
        let path = try ProviderPath(bytes: [0x66, 0xFF, 0xFE, 0x2E, 0x74])
        let item = FileObject(path: path, type: .regular)
        for pattern in ["f??.t", "f*.t", "f\u{10FFFF}?.t", "*[\u{10FFFE}]*"] {
            #expect(try FileQuery.name(.glob(pattern)).evaluate(item), "\(pattern)")
        }
        #expect(try FileQuery.name(.glob("F??.T", options: .caseInsensitive)).evaluate(item))
        #expect(try !FileQuery.name(.glob("f?.t")).evaluate(item))
    }

    @Test func `globs match what fnmatch matches`() {
        var numbers = Numbers(seed: 1)
        let letters = ["a", "b", "c", "A", "-", "]", ".", "/"]
        let pieces =
            letters + ["*", "*", "?", "[ab]", "[!a]", "[a-c]", "[]a]", "[a-]", "[", "\\*", "\\a", "\\[", "[^b]", "!"]
        var matched = 0
        for _ in 0..<60_000 {
            let pattern = (0..<numbers.below(7)).map { _ in numbers.pick(pieces) }.joined()
            let text = (0..<numbers.below(6)).map { _ in numbers.pick(letters) }.joined()
            let expected = fnmatch(pattern, text, 0) == 0
            #expect(TextMatch.glob(pattern).matches(text) == expected, "\(pattern) \(text)")
            if expected { matched += 1 }
        }
        #expect(matched > 1000)
    }

    @Test func `a like matches what a glob without sets matches`() {
        var numbers = Numbers(seed: 2)
        for _ in 0..<10_000 {
            let pattern = (0..<numbers.below(7)).map { _ in numbers.pick(["a", "b", "*", "?", "[", "]", "\\*", "é"]) }
                .joined()
            let text = (0..<numbers.below(6)).map { _ in numbers.pick(["a", "b", "[", "*", "é"]) }.joined()
            let glob = pattern.replacing("[", with: "\\[")
            #expect(TextMatch.like(pattern).matches(text) == TextMatch.glob(glob).matches(text), "\(pattern) \(text)")
        }
    }

    @Test(.timeLimit(.minutes(1))) func `hostile patterns and names take bounded time`() {
        // A quarter of a million characters: quadratic time would show as minutes.
        let million = 1 << 18
        let (long, short) = (String(repeating: "a", count: million), String(repeating: "a", count: million / 4))
        let half = String(repeating: "a", count: million / 8)
        // Composing these marks would take minutes.
        let marks = "a" + String(repeating: "\u{301}\u{323}", count: million / 4)
        let cases: [(TextMatch, String, Bool)] = [
            (.glob(String(repeating: "*", count: million)), long, true),
            (.glob(String(repeating: "*a", count: million / 8) + "b"), short, false),
            (.glob("*\(half)b*"), short, false), (.contains(half + "b"), short, false),
            (.glob(String(repeating: "[", count: million / 4)), short, false),
            (.glob(String(repeating: "[a", count: million / 8)), short, false), (.glob("*a?a?a?a?b*"), short, false),
            (.glob("*[!b]*", options: [.caseInsensitive, .diacriticInsensitive]), short + "\u{301}", true),
            (.begins("a"), marks, true),
            (.begins("a", options: [.caseInsensitive, .diacriticInsensitive]), marks, true),
        ]
        for (index, (match, text, expected)) in cases.enumerated() {
            let answer = match.matches(text)
            #expect(answer == expected, "case \(index)")
        }
    }
}
