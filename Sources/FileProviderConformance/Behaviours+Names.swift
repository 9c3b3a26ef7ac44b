import FileProviderCore
import Foundation

extension Behaviour {
    /// Names that protocols, URLs and shells like to spoil: one behaviour each.
    static let names: [Behaviour] =
        [
            "two words", "percent %41 literal", "100%", "a+b", "a#b", "a;b", "a&b=c", "it's", "[brackets]", "{braces}", "(parentheses)",
            ".hidden", "comma, and = at @", "$HOME", "~tilde", "-dash", "München", "日本語", "😀", "no.dots.at.all.epub",
        ].map { name($0, mayBeRefused: false) }
        + [
            "a?b", "\"quoted\"", "a\\b", "a:b", "a*b", "a|b", "<tag>", " leading blank", "trailing blank ", "trailing dot.", "tab\there",
            "e\u{0301}decomposed",
        ].map { name($0, mayBeRefused: true) }

    /// - Parameter mayBeRefused: Whether some storages cannot have such names; they refuse them, and never change them.
    private static func name(_ name: String, mayBeRefused: Bool) -> Behaviour {
        let shown = name.replacingOccurrences(of: "\t", with: "⇥")
        let rule = mayBeRefused ? "keeps its name or is refused" : "keeps its name"
        return Behaviour("A file called “\(shown)” \(rule)", .ability(.writing)) { trial in
            let path = try trial.folder.appending(name)
            do { try await trial.provider.writeContents(path: path, contents: Pattern.data(50)) } catch _ where mayBeRefused {
                return try await trial.expectNames([], "After the name “\(shown)” was refused")
            }
            try await trial.expectNames([name], "After writing “\(shown)”")
            let found = try await trial.provider.attributesOfItem(path: path)
            try expect(
                found.path == path && found.size == 50, "Expected “\(shown)” with 50 bytes, but it is \(found.path), \(found.size ?? -1).")
            try await trial.expectBytes(Pattern.data(50), at: path, "A file called “\(shown)”")
            try await trial.provider.removeItem(path: path)
            try await trial.expectNames([], "After removing “\(shown)”")
        }
    }

    /// What holds for names as such.
    static let nameRules: [Behaviour] = lengths + twins + places

    private static let lengths: [Behaviour] = [
        Behaviour("A name of 200 bytes is kept", .ability(.writing), .nameLength(200)) { trial in
            let name = String(repeating: "0123456789", count: 20)
            let path = try await trial.write(name)
            try await trial.expectNames([name], "After writing a name of 200 bytes")
            try await trial.expectBytes(Pattern.data(100), at: path, "A file with a name of 200 bytes")
        },
        Behaviour("A folder's name of 200 bytes is kept", .nameLength(200)) { trial in
            let name = String(repeating: "ü", count: 100)
            try await trial.makeFolder(name)
            try await trial.expectNames([name], "After making a folder with a name of 200 bytes")
        },
        Behaviour("A name longer than declared is refused, not cut", .ability(.writing)) { trial in
            guard let longest = trial.capabilities.longestName else { throw Skipped(reason: "needs a limit of name lengths") }
            let name = String(repeating: "x", count: longest + 1)
            try await expectFailure("Writing to a name of \(longest + 1) bytes") { try await trial.write(name) }
            try await trial.expectNames([], "After a refused name")
        },
        Behaviour("Names that are not UTF-8 are kept", .ability(.writing), .ability(.rawNames)) { trial in
            let path = try trial.folder.appending(nameBytes: [0x66, 0xFC, 0x72, 0x20, 0xFF])
            try await trial.provider.writeContents(path: path, contents: Pattern.data(50))
            let found = try await trial.list().map(\.path)
            try expect(found == [path], "Expected the name's own bytes \(Array(path.nameBytes)), but the listing has \(found).")
            try await trial.expectBytes(Pattern.data(50), at: path, "A file whose name is not UTF-8")
        },
    ]

    private static let twins: [Behaviour] = [
        Behaviour("A composed and a decomposed name are never one file silently", .ability(.writing)) { trial in
            let composed = try await trial.write("caf\u{E9}", Pattern.data(50))
            do { try await trial.write("cafe\u{301}", Pattern.data(60, seed: 2)) } catch {
                return try await trial.expectBytes(Pattern.data(50), at: composed, "After the decomposed twin was refused")
            }
            try await trial.expectNames(["caf\u{E9}", "cafe\u{301}"], "After writing both twins")
            try await trial.expectBytes(Pattern.data(50), at: composed, "The composed twin")
            try await trial.expectBytes(Pattern.data(60, seed: 2), at: try trial.at("cafe\u{301}"), "The decomposed twin")
        },
        Behaviour("Names that differ by case are two files", .ability(.writing), .caseSensitivity) { trial in
            let small = try await trial.write("case", Pattern.data(50))
            let large = try await trial.write("CASE", Pattern.data(60, seed: 2))
            try await trial.expectNames(["case", "CASE"], "After writing both")
            try await trial.expectBytes(Pattern.data(50), at: small, "The file in small letters")
            try await trial.expectBytes(Pattern.data(60, seed: 2), at: large, "The file in capitals")
        },
        Behaviour("A percent literal and what it would decode to are two files", .ability(.writing)) { trial in
            let literal = try await trial.write("%41%2F", Pattern.data(50))
            try await trial.write("A", Pattern.data(60, seed: 2))
            try await trial.expectNames(["%41%2F", "A"], "After writing both")
            try await trial.expectBytes(Pattern.data(50), at: literal, "The file with the percent literal")
        },
    ]

    private static let places: [Behaviour] = [
        Behaviour("A folder with a hostile name holds files", .ability(.writing)) { trial in
            let folder = try await trial.makeFolder("50% #1 + ünï;x")
            try await trial.write("50% #1 + ünï;x/%25 file", Pattern.data(70))
            try await trial.expectNames(["%25 file"], in: folder, "A folder with a hostile name")
            try await trial.expectBytes(Pattern.data(70), at: try folder.appending("%25 file"), "A file in such a folder")
        },
        Behaviour("An item can be renamed to a hostile name and copied from it", .ability(.writing), .ability(.moving)) { trial in
            let path = try await trial.write("plain")
            let hostile = try trial.at("50% #1 + ünï;x")
            try await trial.provider.moveItem(path: path, to: hostile)
            try await trial.provider.copyItem(path: hostile, to: try trial.at("%41"))
            try await trial.expectNames(["50% #1 + ünï;x", "%41"], "After a rename and a copy")
            try await trial.expectBytes(Pattern.data(100), at: try trial.at("%41"), "The copy")
        },
        Behaviour("Every path has a URL of its own, percent-encoded") { trial in
            let names = ["a b", "a%20b", "a+b", "a#b", "a?b", "ä", "a\u{308}", "%", "a;b"]
            let urls = try names.map { trial.provider.url(of: try trial.folder.appending($0)).absoluteString }
            try expect(Set(urls.map { Array($0.utf8) }).count == names.count, "Expected a URL for each of \(names), but they are \(urls).")
            let legal = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?#[]@!$&'()*+,;=%".utf8)
            for url in urls { try expect(url.utf8.allSatisfy(legal.contains), "Expected only characters of RFC 3986, but it is \(url).") }
            guard trial.provider.baseURL != nil else { return }
            for (name, url) in zip(names, urls) {
                let last = url.split(separator: "/").last.map(String.init) ?? ""
                let decoded = try? ProviderPath(percentEncoded: last).nameBytes
                try expect(decoded.map(Array.init) == Array(name.utf8), "Expected \(url) to end with “\(name)”, percent-encoded.")
            }
        },
    ]
}
