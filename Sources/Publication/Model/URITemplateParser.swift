import FileProviderCore

/// Parses a template (RFC 6570, section 2).
struct URITemplateParser {
    private let template: String

    init(_ template: String) {
        self.template = template
    }

    func parse() throws -> [URITemplate.Part] {
        var parts: [URITemplate.Part] = []
        var rest = Substring(template).utf8
        while let brace = rest.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) {
            guard rest[brace] == UInt8(ascii: "{") else { throw malformed("has a “}” without a “{”") }
            if brace > rest.startIndex { parts.append(.literal(String(Substring(rest[..<brace])))) }
            let inner = rest[brace...].dropFirst()
            guard let end = inner.firstIndex(of: UInt8(ascii: "}")) else { throw malformed("has a “{” without a “}”") }
            parts.append(.expression(try expression(Substring(inner[..<end]))))
            rest = inner[end...].dropFirst()
        }
        if !rest.isEmpty { parts.append(.literal(String(Substring(rest)))) }
        return parts
    }

    private func expression(_ text: Substring) throws -> URITemplateExpression {
        var list = text
        var found = URITemplateExpression.Operator.simple
        if let sign = text.unicodeScalars.first, let known = URITemplateExpression.Operator(rawValue: String(sign)) {
            found = known
            list = Substring(text.unicodeScalars.dropFirst())
        }
        let specifications = list.split(separator: ",", omittingEmptySubsequences: false)
        return URITemplateExpression(operator: found, variables: try specifications.map(variable))
    }

    private func variable(_ text: Substring) throws -> URITemplateExpression.Variable {
        if text.utf8.last == UInt8(ascii: "*") { return .init(name: try name(text.dropLast()), modifier: .explode) }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return .init(name: try name(text), modifier: nil)
        }
        let digits = text[colon...].dropFirst()
        guard (1...4).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.utf8.first != 0x30,
            let length = Int(digits)
        else { throw malformed("has the prefix “:\(digits)”, which must be a number from 1 to 9999") }
        return .init(name: try name(text[..<colon]), modifier: .prefix(length))
    }

    /// Letters, digits, underscores and what is percent-encoded, with dots in between (RFC 6570, section 2.3).
    private func name(_ text: Substring) throws -> String {
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            var rest = Array(part)[...]
            repeat {
                guard let byte = rest.first else { throw malformed("has an empty name") }
                let isEncoded = PercentEncoding.escape(rest) != nil
                guard isEncoded || PercentEncoding.isAlphanumeric(byte) || byte == UInt8(ascii: "_") else {
                    throw malformed("has a variable “\(text)”, which is not a valid name")
                }
                rest = rest.dropFirst(isEncoded ? 3 : 1)
            } while !rest.isEmpty
        }
        return String(text)
    }

    private func malformed(_ reason: String) -> any Error { URITemplate.malformed(template, reason) }
}
