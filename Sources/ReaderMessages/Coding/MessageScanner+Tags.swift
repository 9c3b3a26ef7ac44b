extension MessageScanner {
    /// Far more than the longest name of the protocol.
    private static let maxNameLength = 256

    /// Reads the name of a tag or an attribute.
    mutating func name() throws -> String {
        let start = position
        while Self.isNameByte(try current(), isFirst: position == start) {
            position += 1
            guard position - start <= Self.maxNameLength else {
                throw hostile("a name in it is longer than \(Self.maxNameLength) bytes")
            }
        }
        guard position > start else { throw malformed("a name is missing in it") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Letters of other scripts are accepted unchecked: the protocol has no such names.
    private static func isNameByte(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, 0x5F, 0x3A, 0x80...: true
        case 0x30...0x39, 0x2D, 0x2E: !isFirst
        default: false
        }
    }

    /// Reads the attributes of a tag, up to `/` or `>`.
    mutating func attributes() throws -> [String: String] {
        var attributes: [String: String] = [:]
        while true {
            let hadSpace = skipSpace()
            let byte = try current()
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") { return attributes }
            guard hadSpace else { throw malformed("a tag in it is broken") }
            let name = try name()
            guard attributes.count < limits.attributes else {
                throw hostile("a tag in it has more than \(limits.attributes) attributes")
            }
            guard attributes.updateValue(try attributeValue(of: name), forKey: name) == nil else {
                throw malformed("a tag in it has the attribute “\(StagedName.shown(name))” twice")
            }
        }
    }

    private mutating func attributeValue(of name: String) throws -> String {
        try skipEquals()
        // As printed in the protocol's description: timestamp=timestamp='…'.
        if readsLegacyForms, name == "timestamp", !hasBegun, try skip("timestamp=") { mend(\.doubledTimestamp) }
        let quote = try quotationMark()
        var value: [UInt8] = []
        try characters(.attribute(quote), into: &value, isKept: true)
        position += 1
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func skipEquals() throws {
        skipSpace()
        guard try skip("=") else { throw malformed("an attribute in it has no value") }
        skipSpace()
    }

    private mutating func quotationMark() throws -> UInt8 {
        let quote = try current()
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw malformed("an attribute in it is not in quotes")
        }
        position += 1
        return quote
    }

    /// Skips `<?xml version='1.0' encoding='utf-8'?>`, which may be missing, follow white space or be in another case.
    mutating func skipDeclaration() throws {
        skipSpace()
        let start = position
        guard try skip("<?xml", inAnyCase: true) else { return }
        guard Self.isSpace(try current()) else {
            // A processing instruction whose name only begins with `xml`.
            position = start
            return
        }
        while true {
            let hadSpace = skipSpace()
            if try skip("?>") { return }
            guard hadSpace, ["version", "encoding", "standalone"].contains(try name().lowercased()) else {
                throw malformed("its XML declaration is broken")
            }
            try skipEquals()
            if try skipDeclaredValue() { return }
        }
    }

    /// - Returns: Whether the value included the end of the declaration, as printed in the protocol's description:
    ///   `encoding='utf-8?>`.
    private mutating func skipDeclaredValue() throws -> Bool {
        let quote = try quotationMark()
        while try current() != quote {
            if readsLegacyForms, try skip("?>") {
                mend(\.openDeclaration)
                return true
            }
            guard (0x20..<0x7F).contains(bytes[position]), !"<?".utf8.contains(bytes[position]) else {
                throw malformed("its XML declaration is broken")
            }
            position += 1
        }
        position += 1
        return false
    }
}
