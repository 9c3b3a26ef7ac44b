/// The expression between braces in a template: an operator and its variables (RFC 6570, section 2.2).
struct URITemplateExpression: Hashable, Sendable {
    var `operator`: Operator
    var variables: [Variable]

    /// A variable and the part of its value to use (RFC 6570, section 2.4).
    struct Variable: Hashable, Sendable {
        var name: String
        var modifier: Modifier?
    }

    enum Modifier: Hashable, Sendable {
        /// The first characters of a text, 1 to 9,999.
        case prefix(Int)
        /// Each member of a list or map as if it were a variable.
        case explode
    }

    /// The kinds of expansion; raw values are the characters that ask for them.
    enum Operator: String, Hashable, Sendable, CaseIterable {
        case simple = ""
        case reserved = "+"
        case fragment = "#"
        case label = "."
        case path = "/"
        case parameter = ";"
        case query = "?"
        case continuation = "&"

        /// The text before the first value (RFC 6570, appendix A, like the other properties).
        var first: String {
            switch self {
            case .simple, .reserved: ""
            default: rawValue
            }
        }

        /// The text between values.
        var separator: String {
            switch self {
            case .simple, .reserved, .fragment: ","
            case .label, .path, .parameter: rawValue
            case .query, .continuation: "&"
            }
        }

        /// Whether names precede the values.
        var isNamed: Bool { self == .parameter || self == .query || self == .continuation }

        /// The text between a name and an empty value.
        var afterNameOfNothing: String { self == .parameter ? "" : "=" }

        var allowed: URITemplateEncoding.AllowedCharacters {
            self == .reserved || self == .fragment ? .reserved : .unreserved
        }
    }

    func expand(_ values: [String: URITemplate.Value], in template: String) throws -> String {
        var expanded: [String] = []
        for variable in variables {
            guard let value = values[variable.name], !value.isUndefined else { continue }
            expanded.append(try expand(variable, value, in: template))
        }
        return expanded.isEmpty ? "" : `operator`.first + expanded.joined(separator: `operator`.separator)
    }

    private func expand(_ variable: Variable, _ value: URITemplate.Value, in template: String) throws -> String {
        switch (value, variable.modifier) {
        case (.string(let text), .prefix(let length)):
            return named(variable.name, encode(URITemplateEncoding.prefix(text, length, `operator`.allowed)))
        case (.string(let text), _):
            return named(variable.name, encode(text))
        case (.list, .prefix), (.map, .prefix):
            throw URITemplate.malformed(
                template, "asks for the first characters of “\(variable.name)”, which is not text")
        case (.list(let texts), nil):
            return named(variable.name, texts.map(encode).joined(separator: ","))
        case (.list(let texts), .explode):
            return texts.map { named(variable.name, encode($0)) }.joined(separator: `operator`.separator)
        case (.map(let members), nil):
            return named(variable.name, members.flatMap { [encode($0.name), encode($0.text)] }.joined(separator: ","))
        case (.map(let members), .explode):
            return members.map(pair).joined(separator: `operator`.separator)
        }
    }

    private func encode(_ text: String) -> String { URITemplateEncoding.encode(text, `operator`.allowed) }

    /// - Parameter value: Encoded already.
    private func named(_ name: String, _ value: String) -> String {
        guard `operator`.isNamed else { return value }
        let name = URITemplateEncoding.encode(name, .reserved)
        return name + (value.isEmpty ? `operator`.afterNameOfNothing : "=" + value)
    }

    /// A member of an exploded map: its name is encoded as a literal if names precede values.
    private func pair(name: String, text: String) -> String {
        `operator`.isNamed ? named(name, encode(text)) : encode(name) + "=" + encode(text)
    }
}
