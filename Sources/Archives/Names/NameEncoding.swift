import FileProviderCore

/// An encoding that writers of ZIP archives use for names without declaring it. All of them extend ASCII.
package struct NameEncoding: Hashable, Sendable {
    /// How bytes beyond ASCII form characters.
    package enum Form: Hashable, Sendable {
        /// Each byte is a character.
        case single
        /// Two bytes form most characters.
        case shiftJIS, eucJP, gb18030, eucKR, big5
        /// An encoding that a caller names.
        case unknown
    }

    /// The name registered with IANA, for people.
    package let name: String
    package let form: Form
    /// The system's name, by which ``TextEncoding`` finds it if the system has it.
    fileprivate let system: String

    private init(_ name: String, _ system: String, _ form: Form = .single) {
        self.name = name
        self.form = form
        self.system = system
    }

    /// The encoding that a caller names; nil if this system does not know the name.
    package init?(named name: String) {
        // For file names, the usual names mean Microsoft's tables, in which a backslash is a backslash.
        let aliases = [
            "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "euc-kr": "CP949", "gbk": "GB18030",
            "gb2312": "GB18030",
        ]
        self.init(name, aliases[name.lowercased()] ?? name, .unknown)
        guard NameDecoder(self)?.text(of: Array("a".utf8)) == "a" else { return nil }
    }

    /// The encoding of DOS, which APPNOTE.TXT, appendix D, prescribes.
    package static let codePage437 = NameEncoding("IBM437", "CP437")

    /// The encodings to choose from, the more usual ones first.
    package static let known: [NameEncoding] = [
        codePage437, NameEncoding("Shift_JIS", "CP932", .shiftJIS), NameEncoding("GB18030", "GB18030", .gb18030),
        NameEncoding("EUC-KR", "CP949", .eucKR), NameEncoding("Big5", "CP950", .big5),
        NameEncoding("EUC-JP", "EUC-JP", .eucJP),
        NameEncoding("windows-1252", "CP1252"), NameEncoding("windows-1251", "CP1251"), NameEncoding("IBM866", "CP866"),
        NameEncoding("KOI8-R", "KOI8-R"), NameEncoding("IBM850", "CP850"), NameEncoding("windows-1250", "CP1250"),
        NameEncoding("IBM852", "CP852"), NameEncoding("windows-1253", "CP1253"), NameEncoding("IBM737", "CP737"),
        NameEncoding("windows-1255", "CP1255"), NameEncoding("windows-1256", "CP1256"),
        NameEncoding("windows-874", "CP874"),
    ]

    /// Encodings that are too similar to others to be recognised from names alone; a book's own addresses can identify
    /// them.
    package static let rare: [NameEncoding] = [
        ("windows-1254", "CP1254"), ("windows-1257", "CP1257"), ("windows-1258", "CP1258"),
        ("ISO-8859-2", "ISO-8859-2"),
        ("ISO-8859-5", "ISO-8859-5"), ("ISO-8859-7", "ISO-8859-7"), ("ISO-8859-15", "ISO-8859-15"), ("IBM855", "CP855"),
        ("IBM857", "CP857"), ("IBM860", "CP860"), ("IBM865", "CP865"), ("IBM775", "CP775"), ("macintosh", "MACINTOSH"),
        ("x-mac-ce", "MAC-CENTRALEUROPE"), ("x-mac-cyrillic", "MAC-CYRILLIC"), ("EUC-TW", "EUC-TW"),
    ].map { NameEncoding($0.0, $0.1, .unknown) }
}

/// Decodes names.
package struct NameDecoder {
    /// Nil for code page 437, which has its own table with a character for every byte.
    private let converter: TextConverter?

    /// Nil if this system does not know the encoding.
    package init?(_ encoding: NameEncoding) {
        converter = encoding == .codePage437 ? nil : TextEncoding(encoding.system)?.decoder()
        if converter == nil, encoding != .codePage437 { return nil }
    }

    /// Returns the decoded name; nil for bytes that are invalid in the encoding.
    package func text(of name: [UInt8]) -> String? {
        guard let converter else { return name.withUnsafeBytes { EntryName.codePage437($0) } }
        return converter.convert(name).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
