/// The text form of arrays of one dimension. Source: PostgreSQL 15 manual, 8.15.2 and 8.15.6.
enum PostgresArray {
    static func text(_ values: [String?]) -> String {
        var text = "{"
        for value in values {
            if text.utf8.count > 1 { text += "," }
            guard let value else {
                text += "NULL"
                continue
            }
            text += "\""
            for scalar in value.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { text += "\\" }
                text.unicodeScalars.append(scalar)
            }
            text += "\""
        }
        return text + "}"
    }

    /// - Returns: The values; nil if `text` is no such array.
    static func values(_ text: String) -> [String?]? {
        var scalars = text.unicodeScalars[...]
        guard scalars.popFirst() == "{" else { return nil }
        if scalars.elementsEqual("}".unicodeScalars) { return [] }
        var values: [String?] = []
        while true {
            guard let value = element(&scalars) else { return nil }
            values.append(value)
            switch scalars.popFirst() {
            case ",": continue
            case "}": return scalars.isEmpty ? values : nil
            default: return nil
            }
        }
    }

    /// - Returns: The next value, where the inner nil is `NULL`; nil if there is none.
    private static func element(_ scalars: inout Substring.UnicodeScalarView) -> String?? {
        var value = ""
        if scalars.first == "\"" {
            scalars.removeFirst()
            while let scalar = scalars.popFirst() {
                if scalar == "\"" { return .some(value) }
                guard let kept = scalar == "\\" ? scalars.popFirst() : scalar else { return nil }
                value.unicodeScalars.append(kept)
            }
            return nil
        }
        while let scalar = scalars.first, scalar != ",", scalar != "}" {
            if scalar == "{" || scalar == "\"" { return nil }
            scalars.removeFirst()
            guard let kept = scalar == "\\" ? scalars.popFirst() : scalar else { return nil }
            value.unicodeScalars.append(kept)
        }
        if value.isEmpty { return nil }
        return .some(value == "NULL" ? nil : value)
    }
}
