import FileProviderCore
import Foundation

/// The output of `pdfinfo` as properties: one per line, a name, a colon and a value.
struct PDFInfoText {
    private(set) var properties = FileProperties()

    init(_ text: String) {
        var values: [Substring: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            // A line break in a title can make a line look like another; the first line with a name counts.
            let key = line[..<colon]
            if values[key] == nil {
                values[key] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
        }
        for (key, name) in [
            ("Title", "title"), ("Author", "author"), ("Subject", "subject"), ("Keywords", "keywords"),
            ("Creator", "creator"),
            ("Producer", "producer"),
        ] { properties.set(name, text: values[key[...]]) }
        for (key, name) in [("CreationDate", "created"), ("ModDate", "modified")] {
            if let date = values[key[...]].flatMap(Self.date) { properties.set(name, .date(date)) }
        }
        if let pages = values["Pages"].flatMap({ Int64($0) }) { properties.set("numberOfPages", .integer(pages)) }
        properties.set("pageSize", text: values["Page size"])
        properties.set("pdfVersion", text: values["PDF version"])
        if let encrypted = values["Encrypted"] { properties.set("encrypted", .bool(encrypted.hasPrefix("yes"))) }
    }

    /// ISO 8601, whose offset may be hours alone: `2024-05-01T10:00:00+02`.
    private static func date(_ text: String) -> Date? {
        let isShort = text.count > 3 && "+-".contains(text[text.index(text.endIndex, offsetBy: -3)])
        return try? Date(isShort ? text + ":00" : text, strategy: Date.ISO8601FormatStyle())
    }
}
