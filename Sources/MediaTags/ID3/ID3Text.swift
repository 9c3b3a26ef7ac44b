/// Texts in frames: a byte for the encoding, then values with zeros between them (ID3v2.4, section 4).
enum ID3Text {
    /// Returns the values of a text frame. In UTF-16 the first byte order mark applies to all values without one.
    static func texts(_ bytes: ArraySlice<UInt8>) -> [String] {
        guard let encoding = bytes.first else { return [] }
        return texts(
            bytes.dropFirst(), encoding: encoding, isLittle: startsLittle(bytes.dropFirst(), encoding: encoding))
    }

    private static func texts(_ bytes: ArraySlice<UInt8>, encoding: UInt8, isLittle: Bool) -> [String] {
        var texts: [String] = []
        var rest = bytes
        while !rest.isEmpty, texts.count < 100 {
            guard let (text, next) = terminated(rest, encoding: encoding, isLittle: isLittle) else {
                texts.append(decode(rest, encoding, isLittle: isLittle))
                break
            }
            texts.append(text)
            rest = next
        }
        return texts.map(MediaText.trimmed).filter { !$0.isEmpty }
    }

    /// Returns the values of a frame that names its text; nil if the frame ends before.
    ///
    /// - Parameter hasLanguage: Whether three bytes for the language come first, as in a comment.
    static func described(_ bytes: ArraySlice<UInt8>, hasLanguage: Bool) -> (name: String, texts: [String])? {
        guard let encoding = bytes.first else { return nil }
        let content = bytes.dropFirst(hasLanguage ? 4 : 1)
        let isLittle = startsLittle(content, encoding: encoding)
        guard let (name, rest) = terminated(content, encoding: encoding, isLittle: isLittle) else { return nil }
        return (MediaText.trimmed(name), texts(rest, encoding: encoding, isLittle: isLittle))
    }

    /// Returns the text up to the next zero of the encoding's width, and the rest; nil if there is no zero.
    static func terminated(
        _ bytes: ArraySlice<UInt8>, encoding: UInt8, isLittle: Bool = false
    ) -> (text: String, rest: ArraySlice<UInt8>)? {
        guard encoding == 1 || encoding == 2 else {
            guard let end = bytes.firstIndex(of: 0) else { return nil }
            return (decode(bytes[..<end], encoding), bytes[(end + 1)...])
        }
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            if bytes[index] == 0, bytes[index + 1] == 0 {
                return (decode(bytes[..<index], encoding, isLittle: isLittle), bytes[(index + 2)...])
            }
            index += 2
        }
        return nil
    }

    private static func startsLittle(_ bytes: ArraySlice<UInt8>, encoding: UInt8) -> Bool {
        encoding == 1 && bytes.starts(with: MediaText.littleEndianMark)
    }

    private static func decode(_ bytes: ArraySlice<UInt8>, _ encoding: UInt8, isLittle: Bool = false) -> String {
        switch encoding {
        case 1, 2: MediaText.utf16(bytes, isLittle: isLittle)
        case 3: String(decoding: bytes, as: UTF8.self)
        default: MediaText.latin1(bytes)
        }
    }

    /// Returns a genre without its leading number, which refers to an old list of names; nil for a number alone.
    static func genre(_ text: String) -> String? {
        var rest = text[...]
        while rest.hasPrefix("("), let end = rest.firstIndex(of: ")"),
            rest[rest.index(after: rest.startIndex)..<end].allSatisfy(\.isNumber)
        {
            rest = rest[rest.index(after: end)...]
        }
        return rest.allSatisfy(\.isNumber) ? nil : String(rest)
    }

    /// Returns a day, from a year and from a day and month in four digits (ID3v2.3, section 4.2.1); the year alone if
    /// these are invalid.
    static func date(year: String, dayAndMonth: String) -> String {
        let digits = dayAndMonth.utf8.compactMap { (0x30...0x39).contains($0) ? Int($0 - 0x30) : nil }
        guard year.utf8.count == 4, digits.count == 4, dayAndMonth.utf8.count == 4,
            (1...31).contains(digits[0] * 10 + digits[1]),
            (1...12).contains(digits[2] * 10 + digits[3])
        else { return year }
        return "\(year)-\(digits[2])\(digits[3])-\(digits[0])\(digits[1])"
    }

    /// Frames of texts; those of version 2.2 have three letters.
    static let names = [
        "TIT2": "TITLE", "TT2": "TITLE", "TIT3": "SUBTITLE", "TT3": "SUBTITLE", "TALB": "ALBUM", "TAL": "ALBUM",
        "TPE1": "ARTIST",
        "TP1": "ARTIST", "TPE2": "ALBUMARTIST", "TP2": "ALBUMARTIST", "TPE3": "CONDUCTOR", "TCOM": "COMPOSER",
        "TCM": "COMPOSER",
        "TRCK": "TRACKNUMBER", "TRK": "TRACKNUMBER", "TPOS": "DISCNUMBER", "TPA": "DISCNUMBER", "TPUB": "PUBLISHER",
        "TPB": "PUBLISHER",
        "TLAN": "LANGUAGE", "TLA": "LANGUAGE", "TDRC": "DATE", "TDRL": "RELEASEDATE", "TCON": "GENRE",
        "TCO": "GENRE", "TCOP": "COPYRIGHT", "TCR": "COPYRIGHT", "TSOT": "TITLESORT", "TSOA": "ALBUMSORT",
        "TSOP": "ARTISTSORT",
        "TSO2": "ALBUMARTISTSORT", "MVNM": "SERIES", "MVIN": "SERIES-PART",
    ]
}
