import Foundation
import Publication

/// Checks values against JSON schemas (draft 7): as much of it as the schemas of manifests use. Not safe for use by two
/// tasks at once.
final class JSONSchemas {
    private let documents: [String: JSONValue]
    private var patterns: [String: NSRegularExpression] = [:]

    /// Takes the schemas below `folder`, by their `$id`.
    init(folder: URL) throws {
        var documents: [String: JSONValue] = [:]
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "json" else { continue }
            let document = try JSONValue(data: Data(contentsOf: file), maximumSize: 1 << 20)
            if let id = document["$id"]?.stringValue { documents[id] = document }
        }
        self.documents = documents
    }

    /// Takes schemas by their addresses.
    init(_ documents: [String: JSONValue]) {
        self.documents = documents
    }

    var count: Int { documents.count }

    /// What is wrong with `value`, a line each: where, then what.
    func violations(of value: JSONValue, by id: String) -> [String] {
        check(value, ["$ref": .string(id)], Location(base: id, path: ""))
    }

    private struct Location {
        var base: String
        var path: String

        func inside(_ name: String) -> Location { Location(base: base, path: "\(path)/\(name)") }
        func violation(_ text: String) -> [String] { ["\(path): \(text)"] }
    }

    private func check(_ value: JSONValue, _ schema: JSONValue, _ location: Location) -> [String] {
        if let all = schema.boolValue { return all ? [] : location.violation("is not allowed") }
        guard let keywords = schema.objectValue else { return location.violation("the schema is none") }
        // Beside a reference nothing counts in draft 7.
        if let reference = keywords["$ref"]?.stringValue { return follow(reference, value, location) }
        return keywords.sorted { $0.key < $1.key }.flatMap { keyword, argument -> [String] in
            switch keyword {
            case "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "const", "enum", "type":
                logic(keyword, argument: argument, value: value, schema: schema, location: location)
            case "properties", "required", "additionalProperties", "patternProperties", "minProperties":
                members(keyword, argument, value, schema, location)
            case "items", "minItems", "uniqueItems", "contains": elements(keyword, argument, value, location)
            case "pattern", "format", "minLength", "minimum", "maximum", "exclusiveMinimum":
                scalar(keyword, argument, value, location)
            case "$schema", "$id", "$defs", "title", "description", "default": []
            default: location.violation("the schema has “\(keyword)”, which is not known here")
            }
        }
    }

    private func follow(_ reference: String, _ value: JSONValue, _ location: Location) -> [String] {
        guard let url = URL(string: reference, relativeTo: URL(string: location.base))?.absoluteString else {
            return location.violation("bad $ref")
        }
        let parts = url.split(separator: "#", maxSplits: 1).map(String.init)
        guard var schema = documents[parts[0]] else { return location.violation("there is no schema \(url)") }
        for name in parts.count > 1 ? parts[1].split(separator: "/") : [] {
            guard let inner = schema[String(name)] else { return location.violation("there is no schema \(url)") }
            schema = inner
        }
        return check(value, schema, Location(base: parts[0], path: location.path))
    }

    private func logic(_ keyword: String, argument: JSONValue, value: JSONValue, schema: JSONValue, location: Location)
        -> [String]
    {
        switch keyword {
        case "allOf": return (argument.arrayValue ?? []).flatMap { check(value, $0, location) }
        case "anyOf", "oneOf":
            let results = (argument.arrayValue ?? []).map { check(value, $0, location) }
            let fitting = results.count { $0.isEmpty }
            if fitting == 1 || fitting > 1 && keyword == "anyOf" { return [] }
            return location.violation(
                "fits \(fitting) of \(results.count) schemas: \(results.min { $0.count < $1.count }?.first ?? "")")
        case "not": return check(value, argument, location).isEmpty ? location.violation("is what it must not be") : []
        case "if":
            let next = check(value, argument, location).isEmpty ? schema["then"] : schema["else"]
            return next.map { check(value, $0, location) } ?? []
        case "const": return value == argument ? [] : location.violation("is not \(argument)")
        case "enum":
            return argument.arrayValue?.contains(value) == true
                ? [] : location.violation("\(value) is none of the known words")
        case "type":
            let names = argument.arrayValue ?? [argument]
            return names.contains { has(value, type: $0.stringValue) }
                ? [] : location.violation("\(value) is not of type \(argument)")
        default: return []
        }
    }

    private func has(_ value: JSONValue, type: String?) -> Bool {
        switch type {
        case "object": value.objectValue != nil
        case "array": value.arrayValue != nil
        case "string": value.stringValue != nil
        case "boolean": value.boolValue != nil
        case "integer": value.integerValue != nil
        case "number": value.doubleValue != nil
        case "null": value == .null
        default: false
        }
    }

    private func members(
        _ keyword: String, _ argument: JSONValue, _ value: JSONValue, _ schema: JSONValue, _ location: Location
    ) -> [String] {
        guard let members = value.objectValue else { return [] }
        let rules = argument.objectValue ?? [:]
        switch keyword {
        case "required":
            return (argument.arrayValue ?? []).compactMap(\.stringValue).filter { members[$0] == nil }.flatMap {
                location.violation("has no “\($0)”")
            }
        case "minProperties":
            return Double(members.count) < argument.doubleValue ?? 0 ? location.violation("has too few members") : []
        case "properties":
            return members.flatMap { name, member in rules[name].map { check(member, $0, location.inside(name)) } ?? []
            }
        case "patternProperties":
            return members.flatMap { name, member in
                rules.filter { matches(name, $0.key) }.flatMap { check(member, $0.value, location.inside(name)) }
            }
        default:
            let known = Set(schema["properties"]?.objectValue?.keys.map(\.self) ?? [])
            let patterns = schema["patternProperties"]?.objectValue?.keys.map(\.self) ?? []
            let others = members.filter { name, _ in !known.contains(name) && !patterns.contains { matches(name, $0) } }
            return others.flatMap { check($1, argument, location.inside($0)) }
        }
    }

    private func elements(_ keyword: String, _ argument: JSONValue, _ value: JSONValue, _ location: Location)
        -> [String]
    {
        guard let elements = value.arrayValue else { return [] }
        switch keyword {
        case "items": return elements.enumerated().flatMap { check($1, argument, location.inside("\($0)")) }
        case "minItems":
            return Double(elements.count) < argument.doubleValue ?? 0 ? location.violation("has too few elements") : []
        case "uniqueItems":
            return argument == true && Set(elements).count < elements.count
                ? location.violation("has an element twice") : []
        default:
            return elements.contains { check($0, argument, location).isEmpty }
                ? [] : location.violation("lacks an element that it must have")
        }
    }

    private func scalar(_ keyword: String, _ argument: JSONValue, _ value: JSONValue, _ location: Location) -> [String]
    {
        if let text = value.stringValue {
            switch keyword {
            case "pattern":
                return matches(text, argument.stringValue ?? "") ? [] : location.violation("“\(text)” does not match")
            case "format":
                let name = argument.stringValue ?? ""
                return has(text, format: name) ? [] : location.violation("“\(text)” is no \(name)")
            case "minLength":
                return Double(text.unicodeScalars.count) < argument.doubleValue ?? 0
                    ? location.violation("is too short") : []
            default: return []
            }
        }
        guard let number = value.doubleValue, let bound = argument.doubleValue else { return [] }
        let fits =
            switch keyword {
            case "minimum": number >= bound
            case "maximum": number <= bound
            case "exclusiveMinimum": number > bound
            default: true
            }
        return fits ? [] : location.violation("\(number) is out of bounds")
    }

    private func has(_ text: String, format: String) -> Bool {
        let reference = #"^(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$"#
        return switch format {
        case "uri": matches(text, "^[A-Za-z][A-Za-z0-9+.-]*:") && matches(text, reference)
        case "uri-reference": matches(text, reference)
        case "uri-template": (try? URITemplate(text)) != nil
        case "date": matches(text, #"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$"#)
        case "date-time":
            matches(
                text, #"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T\d{2}:[0-5]\d:\d{2}(\.\d+)?(Z|[+-]\d{2}:[0-5]\d)$"#
            )
        case "email": text.contains("@")
        default: false
        }
    }

    private func matches(_ text: String, _ pattern: String) -> Bool {
        guard let expression = patterns[pattern] ?? (try? NSRegularExpression(pattern: pattern)) else { return false }
        patterns[pattern] = expression
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
}
