extension MessageScanner {
    /// The context of characters, which decides which of them are special.
    enum Location: Equatable {
        case text
        case section
        /// Up to this quotation mark.
        case attribute(UInt8)
    }

    /// Reads text up to the next `<`.
    mutating func text(isKept: Bool) throws -> [UInt8] {
        var text: [UInt8] = []
        try characters(.text, into: &text, isKept: isKept)
        return text
    }

    /// Reads the text of a CDATA section and consumes its end.
    mutating func section(isKept: Bool) throws -> [UInt8] {
        var text: [UInt8] = []
        try characters(.section, into: &text, isKept: isKept)
        return text
    }

    /// Reads characters up to the end of their context. Consumes only the end of a section.
    mutating func characters(_ location: Location, into buffer: inout [UInt8], isKept: Bool) throws {
        while true {
            let start = position
            while position < bytes.count, Self.isPlain(bytes[position]) { position += 1 }
            if isKept, position > start {
                if case .attribute = location, buffer.count + position - start > limits.attribute {
                    throw attributeTooLong()
                }
                buffer.append(contentsOf: bytes[start..<position])
            }
            if try takeSpecial(location, into: &buffer) { return }
        }
    }

    private func attributeTooLong() -> MessageFailure {
        hostile("an attribute in it is longer than \(limits.attribute) bytes")
    }

    /// Whether a byte is plain text in every context.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x22, 0x26, 0x27, 0x3C, 0x5D, 0xEF: false
        default: true
        }
    }

    /// Reads a byte that is special in some context, with everything that belongs to it.
    /// - Returns: Whether the context ends here.
    private mutating func takeSpecial(_ location: Location, into buffer: inout [UInt8]) throws -> Bool {
        let byte = try current()
        switch (byte, location) {
        case (UInt8(ascii: "<"), .text): return true
        case (UInt8(ascii: "<"), .attribute): throw malformed("an attribute in it has a “<”")
        case (_, .attribute(let quote)) where byte == quote: return true
        case (UInt8(ascii: "&"), .text), (UInt8(ascii: "&"), .attribute):
            try takeReference(into: &buffer)
        case (UInt8(ascii: "]"), .section) where try skip("]]>"): return true
        case (UInt8(ascii: "]"), .text) where try skip("]]>"):
            throw malformed("it has the end of a section that has not begun")
        default:
            take(byte, isAttribute: location != .text && location != .section, into: &buffer)
        }
        if location != .text, location != .section, buffer.count > limits.attribute { throw attributeTooLong() }
        return false
    }

    /// Line ends become LF, white space in attributes becomes spaces (XML 1.0, sections 2.11 and 3.3.3), and what XML
    /// does not allow becomes U+FFFD.
    private mutating func take(_ byte: UInt8, isAttribute: Bool, into buffer: inout [UInt8]) {
        position += 1
        switch byte {
        case 0x0D:
            if position < bytes.count, bytes[position] == 0x0A { position += 1 }
            buffer.append(isAttribute ? 0x20 : 0x0A)
        case 0x09, 0x0A:
            buffer.append(isAttribute ? 0x20 : byte)
        case 0..<0x20:
            replaceIllegal(into: &buffer)
        case 0xEF where position + 1 < bytes.count && bytes[position] == 0xBF && bytes[position + 1] >= 0xBE:
            // U+FFFE and U+FFFF.
            position += 2
            replaceIllegal(into: &buffer)
        default:
            buffer.append(byte)
        }
    }

    private mutating func replaceIllegal(into buffer: inout [UInt8]) {
        mend(\.illegalCharacter)
        buffer.append(contentsOf: [0xEF, 0xBF, 0xBD])
    }
}

// MARK: References

extension MessageScanner {
    /// Longer than any valid reference.
    private static let maxReferenceLength = 32

    /// Reads from an `&` on: the referenced character, or the `&` itself if known drivers leave it unescaped.
    private mutating func takeReference(into buffer: inout [UInt8]) throws {
        guard let end = try referenceEnd() else { return try takeAmpersand(into: &buffer) }
        let reference = bytes[(position + 1)..<end]
        if let number = Self.Number(reference) {
            guard let scalar = number.scalar else {
                throw malformed("it refers to a character that XML does not allow")
            }
            buffer.append(contentsOf: Array(String(scalar).utf8))
        } else if let character = Self.named(String(decoding: reference, as: UTF8.self)) {
            buffer.append(character)
        } else if readsLegacyForms, reference.elementsEqual("squot".utf8) {
            // The first driver writes this for an apostrophe beside quotation marks.
            mend(\.madeUpApostrophe)
            buffer.append(UInt8(ascii: "'"))
        } else {
            return try takeAmpersand(into: &buffer)
        }
        position = end + 1
    }

    private mutating func takeAmpersand(into buffer: inout [UInt8]) throws {
        guard readsLegacyForms else { throw malformed("it has an “&” that begins no known reference") }
        mend(\.looseAmpersand)
        buffer.append(UInt8(ascii: "&"))
        position += 1
    }

    /// Returns the index of the `;`, or `nil` if no reference follows the `&`.
    private func referenceEnd() throws -> Int? {
        var end = position + 1
        while end - position <= Self.maxReferenceLength {
            guard end < bytes.count else { throw incomplete() }
            switch bytes[end] {
            case UInt8(ascii: ";"): return end
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x23: end += 1
            default: return nil
            }
        }
        return nil
    }

    /// The text between `&` and `;` of a numeric character reference.
    private struct Number {
        let digits: String
        let radix: Int

        /// Nil for anything else.
        init?(_ reference: ArraySlice<UInt8>) {
            guard reference.first == UInt8(ascii: "#") else { return nil }
            let isHexadecimal = reference.dropFirst().first == UInt8(ascii: "x")
            digits = String(decoding: reference.dropFirst(isHexadecimal ? 2 : 1), as: UTF8.self)
            radix = isHexadecimal ? 16 : 10
            guard !digits.isEmpty, digits.allSatisfy({ isHexadecimal ? $0.isHexDigit : $0.isWholeNumber }) else {
                return nil
            }
        }

        /// The character, or `nil` if XML doesn't allow it.
        var scalar: Unicode.Scalar? {
            UInt32(digits, radix: radix).flatMap(Unicode.Scalar.init).flatMap { MessageScanner.isLegal($0) ? $0 : nil }
        }
    }

    private static func named(_ name: String) -> UInt8? {
        switch name {
        case "amp": UInt8(ascii: "&")
        case "lt": UInt8(ascii: "<")
        case "gt": UInt8(ascii: ">")
        case "quot": UInt8(ascii: "\"")
        case "apos": UInt8(ascii: "'")
        default: nil
        }
    }

    /// XML 1.0, section 2.2.
    private static func isLegal(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
