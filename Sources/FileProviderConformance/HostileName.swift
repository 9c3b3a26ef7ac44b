import FileProviderCore

/// A name that protocols, URLs, shells or storages tend to damage.
public struct HostileName: Sendable, Hashable {
    /// The bytes as a storage has them.
    public let bytes: [UInt8]
    /// The name in reports: control characters are shown as pictures, other bytes as `\xFF`, long names by their
    /// length.
    public let shown: String
    /// Whether a storage may refuse it; if it accepts the name, it has to keep it unchanged.
    public let mayBeRefused: Bool

    /// The behaviour that takes a file of this name through all operations.
    public var fileBehaviour: String { "A file called \(shown) \(rule)" }
    /// The behaviour that takes a folder of this name through all operations.
    public var folderBehaviour: String { "A folder called \(shown) \(rule)" }

    private var rule: String { mayBeRefused ? "keeps its name or is refused" : "keeps its name" }

    init(_ name: String, shown: String? = nil, mayBeRefused: Bool = false) {
        bytes = Array(name.utf8)
        self.shown = shown ?? "“\(name.visible)”"
        self.mayBeRefused = mayBeRefused
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        shown =
            "“\(bytes.map { $0 < 0x80 ? String(Unicode.Scalar($0)) : "\\x" + String($0, radix: 16, uppercase: true) }.joined())”"
        mayBeRefused = false
    }

    /// Every name that the kit tries, on files and on folders.
    public static let all = ordinary + (delicate + control).map { HostileName($0, mayBeRefused: true) } + long + notUTF8

    /// Names that every storage has to keep.
    private static let ordinary = [
        "two words", "%41", "%2F", "percent %41 literal", "100%", "a+b", "a#b", "a;b", "a&b=c", "it's", "`ticks`",
        "[brackets]", "{braces}",
        "(parentheses)", ".hidden", "...", "comma, and = at @", "$HOME", "~tilde", "tilde~", "-dash", "a!b^c",
        "München", "日本語", "שלום",
        "😀", "👩🏽‍👩🏽‍👧🏽‍👦🏽", "no.dots.at.all.epub",
    ].map { HostileName($0) }

    /// Names that some storages cannot have.
    private static let delicate = [
        "a?b", "\"quoted\"", "a\\b", "a:b", "a*b", "a|b", "<tag>", " leading blank", "trailing blank ", "trailing dot.",
        " ", "CON", "a／b",
        "␉", "e\u{301}decomposed",
    ]

    /// Control characters: alone, and at both ends, where software may trim.
    private static let control = [
        String(String.UnicodeScalarView((UInt8(1)...8).map { Unicode.Scalar($0) })), "tab\there", "line\nfeed",
        "vertical\u{B}tab",
        "form\u{C}feed", "carriage\rreturn",
        String(String.UnicodeScalarView((UInt8(14)...31).map { Unicode.Scalar($0) })), "del\u{7F}ete",
        "next\u{85}line", "\tleading tab", "trailing tab\t", "\nleading line", "trailing line\n", "\u{B}leading",
        "trailing\u{B}",
        "\rleading return", "trailing return\r",
    ]

    /// As long as most file systems allow.
    private static let long = [
        HostileName(String(repeating: "x", count: 255), shown: "of 255 letters", mayBeRefused: true),
        HostileName(String(repeating: "語", count: 85), shown: "of 255 bytes in 85 characters", mayBeRefused: true),
    ]

    /// Tried if the provider has ``Capabilities/Ability/rawNames``, and to be kept then.
    private static let notUTF8 = [
        HostileName(bytes: [0x66, 0xFC, 0x72, 0x20, 0xFF]), HostileName(bytes: Array("cut ".utf8) + [0xE2, 0x82]),
        HostileName(bytes: Array("over".utf8) + [0xC0, 0xAE]),
    ]
}

extension String {
    /// This text with U+2400…U+241F and U+2421, pictures of control characters, in their place, so that it stays on one
    /// line.
    var visible: String {
        var shown = UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0..<0x20: shown.append(Unicode.Scalar(0x2400 + scalar.value) ?? scalar)
            case 0x7F: shown.append("\u{2421}")
            case 0x80..<0xA0:
                shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
            default: shown.append(scalar)
            }
        }
        return String(shown)
    }
}
