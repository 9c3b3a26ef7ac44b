import Foundation

/// An encoding in which writers of ZIP archives put names without saying so: all of them extend ASCII.
struct NameEncoding: Hashable, Sendable {
    /// How bytes beyond ASCII make characters.
    enum Form: Hashable, Sendable {
        /// Each is one.
        case single
        /// Two make one, mostly.
        case shiftJIS, eucJP, gb18030, eucKR, big5
        /// One that a caller names.
        case unknown
    }

    /// As registered with IANA, for people.
    let name: String
    /// As iconv(3) calls it.
    let system: String
    let form: Form

    private init(_ name: String, _ system: String, _ form: Form = .single) {
        self.name = name
        self.system = system
        self.form = form
    }

    /// One that a caller names; nil for a name that this system does not know.
    init?(named name: String) {
        // Slashes would be instructions to iconv_open(3).
        guard !name.isEmpty, name.utf8.count <= 60, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }) else {
            return nil
        }
        let lowercased = name.lowercased()
        // The usual names mean Microsoft's tables in names of files, in which a backslash is one.
        let aliases = [
            "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "euc-kr": "CP949", "gbk": "GB18030", "gb2312": "GB18030",
        ]
        self.init(name, aliases[lowercased] ?? name, .unknown)
        guard NameDecoder(self)?.text(of: Array("a".utf8)) == "a" else { return nil }
    }

    /// What DOS wrote and APPNOTE.TXT, appendix D, names.
    static let codePage437 = NameEncoding("IBM437", "CP437")

    /// Those that a name may turn out to be in, the more usual ones first.
    static let known: [NameEncoding] = [
        codePage437, NameEncoding("Shift_JIS", "CP932", .shiftJIS), NameEncoding("GB18030", "GB18030", .gb18030),
        NameEncoding("EUC-KR", "CP949", .eucKR), NameEncoding("Big5", "CP950", .big5), NameEncoding("EUC-JP", "EUC-JP", .eucJP),
        NameEncoding("windows-1252", "CP1252"), NameEncoding("windows-1251", "CP1251"), NameEncoding("IBM866", "CP866"),
        NameEncoding("KOI8-R", "KOI8-R"), NameEncoding("IBM850", "CP850"), NameEncoding("windows-1250", "CP1250"),
        NameEncoding("IBM852", "CP852"), NameEncoding("windows-1253", "CP1253"), NameEncoding("IBM737", "CP737"),
        NameEncoding("windows-1255", "CP1255"), NameEncoding("windows-1256", "CP1256"), NameEncoding("windows-874", "CP874"),
    ]
}

/// Makes text of names. Source: iconv(3).
final class NameDecoder {
    private let descriptor: iconv_t
    private let isCodePage437: Bool

    /// Nil where the system does not know the encoding.
    init?(_ encoding: NameEncoding) {
        isCodePage437 = encoding == .codePage437
        // (iconv_t) −1 for an error.
        guard let opened = iconv_open("UTF-8", encoding.system), Int(bitPattern: opened) != -1 else { return nil }
        descriptor = opened
    }

    deinit { iconv_close(descriptor) }

    /// Nil for bytes that are no text in the encoding.
    func text(of name: [UInt8]) -> String? {
        if isCodePage437 { return name.withUnsafeBytes { EntryName.codePage437($0) } }
        var input = name.map { CChar(bitPattern: $0) }
        // No set has characters of more bytes, and none becomes more than four in UTF-8 by itself.
        var output = [CChar](repeating: 0, count: name.count * 8 + 16)
        let count: Int? = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                var (start, left) = (input.baseAddress, input.count)
                var (end, room) = (output.baseAddress, output.count)
                // From the state at the beginning; and at the end what was held back, for an accent might have come.
                iconv(descriptor, nil, nil, nil, nil)
                guard iconv(descriptor, &start, &left, &end, &room) == 0, iconv(descriptor, nil, nil, &end, &room) == 0 else { return nil }
                return output.count - room
            }
        }
        return count.flatMap { String(validating: output.prefix($0).map { UInt8(bitPattern: $0) }, as: UTF8.self) }
    }
}
