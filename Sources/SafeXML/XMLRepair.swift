import Foundation

/// Repairs, byte by byte, what libxml2 drops from a document that is not well-formed.
///
/// An ampersand that begins no reference becomes a reference to itself, control characters are removed, and XML's own
/// entities become numeric references, which libxml2 understands even after an error. Comments, CDATA sections,
/// processing instructions and the document type declaration lose only control characters. A well-formed document keeps
/// its meaning.
struct XMLRepair {
    /// The repaired document, and its encoding if that has changed.
    typealias Document = (data: Data, encoding: String?)

    private let bytes: UnsafeBufferPointer<UInt8>
    private var result: [UInt8] = []
    private var index = 0

    /// - Parameters:
    ///   - limit: The most bytes of the document; the repaired one may have twice as many.
    ///   - encoding: The encoding that the caller prescribes, if any.
    /// - Throws: `CocoaError(.fileReadTooLarge)` over the limit.
    static func repair(_ data: Data, limit: Int, encoding: String?) throws -> Document {
        guard data.count <= limit else { throw XMLErrors.tooLarge(line: 1, "more than \(limit) bytes") }
        guard let wide = wideEncoding(of: data) else {
            return (hasPlainASCII(data) ? try repaired(data, limit: limit) : data, encoding)
        }
        // In UTF-32, or in damaged UTF-16, single bytes mean nothing.
        guard encoding == nil, let text = String(data: data, encoding: wide) else { return (data, encoding) }
        return (try repaired(Data(text.utf8), limit: limit), "UTF-8")
    }

    /// Nil for encodings that extend ASCII.
    private static func wideEncoding(of data: Data) -> String.Encoding? {
        let start = [UInt8](data.prefix(4))
        guard start.count == 4 else { return nil }
        let zeros = start.map { $0 == 0 }
        if start.starts(with: [0xFF, 0xFE]) { return zeros[2] && zeros[3] ? .utf32LittleEndian : .utf16LittleEndian }
        if start.starts(with: [0xFE, 0xFF]) { return .utf16BigEndian }
        switch (zeros[0], zeros[1]) {
        case (true, true): return .utf32BigEndian
        case (true, false): return .utf16BigEndian
        case (false, true): return zeros[2] ? .utf32LittleEndian : .utf16LittleEndian
        case (false, false): return nil
        }
    }

    /// Whether ASCII bytes always mean ASCII: not in EBCDIC, nor in stateful encodings, which the declaration names.
    private static func hasPlainASCII(_ data: Data) -> Bool {
        let declaration = String(decoding: data.prefix(200).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
            .lowercased()
        // EBCDIC has an L where ASCII has `<`, the first character of a document.
        return data.first != UInt8(ascii: "L")
            && !["2022", "utf-7", "utf7", "hz-"].contains { declaration.contains($0) }
    }

    private static func repaired(_ data: Data, limit: Int) throws -> Data {
        try data.withUnsafeBytes { bytes in
            var repair = XMLRepair(bytes.bindMemory(to: UInt8.self))
            return try repair.run(limit: limit)
        }
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        result.reserveCapacity(bytes.count + 64)
    }

    private mutating func run(limit: Int) throws -> Data {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "&"): takeAmpersand()
            case UInt8(ascii: "<"): take(upTo: endOfMarkup())
            default: take(upTo: index + 1)
            }
            guard result.count <= 2 * limit else { throw XMLErrors.tooLarge(line: 1, "more than \(limit) bytes") }
        }
        // libxml2 holds back the last byte of text in case more follows.
        result += "<!---->".utf8
        return Data(result)
    }

    // MARK: Ampersands

    private static let predefined: [[UInt8]: String] = [
        Array("amp".utf8): "&#38;", Array("lt".utf8): "&#60;", Array("gt".utf8): "&#62;", Array("quot".utf8): "&#34;",
        Array("apos".utf8): "&#39;",
    ]

    /// Longer than any real entity name.
    private static let maxNameLength = 256

    private mutating func takeAmpersand() {
        let name = bytes[(index + 1)...].prefix(Self.maxNameLength).prefix { $0 != UInt8(ascii: ";") }
        let end = name.endIndex
        guard end < bytes.count, bytes[end] == UInt8(ascii: ";"), Self.isReference(name) else {
            result += "&#38;".utf8
            index += 1
            return
        }
        if name.count <= 4, let number = Self.predefined[Array(name)] {
            result += number.utf8
            index = end + 1
        } else {
            take(upTo: end + 1)
        }
    }

    /// Whether this may be between an ampersand and a semicolon (XML 1.0, section 4.1).
    private static func isReference(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard let first = name.first else { return false }
        if first == UInt8(ascii: "#") {
            let digits = name.dropFirst()
            guard digits.first == UInt8(ascii: "x") else { return !digits.isEmpty && digits.allSatisfy(isDigit) }
            return digits.count > 1
                && digits.dropFirst().allSatisfy { isDigit($0) || (0x61...0x66).contains($0 | 0x20) }
        }
        return isNameStart(first) && name.allSatisfy { isNameStart($0) || isDigit($0) || $0 == 0x2D || $0 == 0x2E }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Letters, `_`, `:` and everything beyond ASCII.
    private static func isNameStart(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || byte == 0x5F || byte == 0x3A || byte >= 0x80
    }

    // MARK: What stays as it is

    /// Copies up to `end`, without characters that XML does not allow (section 2.2).
    private mutating func take(upTo end: Int) {
        for byte in bytes[index..<end] where byte >= 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            result.append(byte)
        }
        index = end
    }

    /// Returns the index after the `<` at ``index``, or after the whole construct if it is not an element.
    private func endOfMarkup() -> Int {
        for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] where isThere(start, at: index) {
            return find(end, from: index + start.utf8.count)
        }
        return isThere("<!doctype", at: index) ? endOfDoctype() : index + 1
    }

    /// Returns the index after the document type declaration with its internal subset (section 2.8).
    private func endOfDoctype() -> Int {
        var position = index + 9
        var isInSubset = false
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                position = bytes[(position + 1)...].firstIndex(of: bytes[position]) ?? bytes.count
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isInSubset = false
            case UInt8(ascii: ">") where !isInSubset: return position + 1
            case UInt8(ascii: "<") where isThere("<!--", at: position): position = find("-->", from: position + 4) - 1
            case UInt8(ascii: "<") where isThere("<?", at: position): position = find("?>", from: position + 2) - 1
            default: break
            }
            position += 1
        }
        return bytes.count
    }

    /// Compares without regard to case.
    private func isThere(_ text: String, at location: Int) -> Bool {
        let end = location + text.utf8.count
        return end <= bytes.count
            && bytes[location..<end].elementsEqual(text.utf8) { Self.lowercased($0) == Self.lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// Returns the index after the next `text`; the end of the document if there is none.
    private func find(_ text: String, from start: Int) -> Int {
        let first = text.utf8.first
        var position = start
        while position + text.utf8.count <= bytes.count {
            if bytes[position] == first, isThere(text, at: position) { return position + text.utf8.count }
            position += 1
        }
        return bytes.count
    }
}
