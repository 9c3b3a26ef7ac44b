/// Localizable strings of a publication manifest (Publication Manifest, section 4.2.4.1).
struct W3CText {
    /// The language of strings that declare none.
    let language: String?
    /// The direction of strings that declare none: `ltr` or `rtl`.
    let direction: String?

    /// - Parameter context: The manifest's `@context`, whose objects may set both defaults.
    init(_ context: JSONValue?) {
        let objects = context?.oneOrMany.filter { $0.objectValue != nil } ?? []
        language = objects.lazy.compactMap { Self.tag($0["language"] ?? $0["@language"]) }.first
        direction = objects.lazy.compactMap { $0["direction"]?.stringValue }.first { $0 == "ltr" || $0 == "rtl" }
    }

    /// Returns the text in `json`, in all its languages: a string, an object with value and language, a map from
    /// languages to strings, or an array of those. Nil if there is none. If several are in one language, the first
    /// counts.
    func localized(_ json: JSONValue) -> LocalizedString? {
        var translations: [String: String] = [:]
        for element in json.oneOrMany {
            for (language, text) in texts(element) where !text.isEmpty && translations[language] == nil {
                translations[language] = text
            }
        }
        return LocalizedString(translations)
    }

    private func texts(_ json: JSONValue) -> [(language: String, text: String)] {
        let usual = language ?? LocalizedString.undetermined
        if let text = json.stringValue { return [(usual, text)] }
        if let text = (json["value"] ?? json["@value"])?.stringValue {
            return [(Self.tag(json["language"] ?? json["@language"]) ?? usual, text)]
        }
        let names: Set<String> = ["type", "direction", "@direction", "language", "@language", "id"]
        return (json.objectValue ?? [:]).compactMap { key, value in
            names.contains(key) ? nil : value.stringValue.map { (key == "@none" ? usual : key, $0) }
        }
    }

    private static func tag(_ json: JSONValue?) -> String? { json?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
}
