import Foundation

/// Inspects the first bytes of a file as text.
enum TextStart {
    /// Returns the first byte that is not white space, part of a byte order mark, or a zero of a wider encoding.
    static func firstCharacter(of head: Data) -> UInt8? {
        head.withUnsafeBytes { bytes in
            bytes.first { byte in
                switch byte {
                case 0, 0x09, 0x0A, 0x0C, 0x0D, 0x20, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF: false
                default: true
                }
            }
        }
    }

    /// Decodes the bytes as text: in the encoding of their byte order mark, else in `hinted`, else UTF-16 if every
    /// other of the first bytes is zero, else UTF-8. Nil if they are not text in that encoding.
    ///
    /// A character that is cut off at the end is left out.
    static func decode(_ data: Data, as hinted: String.Encoding? = nil) -> String? {
        let (encoding, mark) = marked(data) ?? (hinted ?? unmarked(data), 0)
        let bytes = data.dropFirst(mark)
        return (0...3).lazy.compactMap { String(data: bytes.dropLast($0), encoding: encoding) }.first
    }

    private static func marked(_ data: Data) -> (String.Encoding, Int)? {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if data.starts(with: [0xFF, 0xFE, 0, 0]) { return (.utf32LittleEndian, 4) }
        if data.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32BigEndian, 4) }
        if data.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if data.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        return nil
    }

    private static func unmarked(_ data: Data) -> String.Encoding {
        let start = [UInt8](data.prefix(4))
        guard start.count == 4 else { return .utf8 }
        return switch (start[0] == 0, start[1] == 0, start[2] == 0, start[3] == 0) {
        case (true, false, true, false): .utf16BigEndian
        case (false, true, false, true): .utf16LittleEndian
        default: .utf8
        }
    }
}

extension JSONValue {
    /// Reads JSON as people write it: with comments, commas after the last element, and in any Unicode encoding. Nil if
    /// it is not JSON.
    ///
    /// Valid JSON is parsed as such first; otherwise Foundation parses it as JSON5.
    init?(lenient data: Data, encoding: String.Encoding? = nil, maximumSize: Int) {
        if let value = try? JSONValue(data: data, maximumSize: maximumSize) {
            self = value
            return
        }
        guard data.count <= maximumSize, let text = TextStart.decode(data, as: encoding) else { return nil }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        guard let value = try? decoder.decode(JSONValue.self, from: Data(text.utf8)) else { return nil }
        self = value
    }
}
