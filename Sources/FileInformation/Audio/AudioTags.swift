import FileProviderCore
import MediaTags

/// Tags under the names that all formats share.
struct AudioTags {
    private(set) var properties = FileProperties()

    /// In display order; TagLib's names on the left.
    private static let names = [
        ("TITLE", "title"), ("SUBTITLE", "subtitle"), ("ARTIST", "artist"), ("ALBUM", "album"),
        ("ALBUMARTIST", "albumArtist"),
        ("COMPOSER", "composer"), ("LYRICIST", "lyricist"), ("CONDUCTOR", "conductor"), ("PERFORMER", "performer"),
        ("GENRE", "genre"),
        ("LANGUAGE", "language"), ("LABEL", "publisher"), ("COPYRIGHT", "copyright"), ("ISRC", "isrc"),
        ("COMMENT", "comment"),
        ("DESCRIPTION", "description"), ("ENCODEDBY", "encodedBy"), ("ENCODING", "encoder"),
    ]

    /// - Parameter tags: Values by TagLib's names; a name may occur more than once.
    init(_ tags: [(key: String, value: String)]) {
        var values: [String: [String]] = [:]
        for (key, value) in tags { values[key, default: []].append(value) }
        for (key, name) in Self.names { properties.set(name, texts: values[key] ?? []) }
        setNumber("trackNumber", of: "trackCount", text: values["TRACKNUMBER"]?.first)
        setNumber("discNumber", of: "discCount", text: values["DISCNUMBER"]?.first)
        for (key, name) in [("TRACKTOTAL", "trackCount"), ("DISCTOTAL", "discCount"), ("BPM", "beatsPerMinute")] {
            if let number = values[key]?.first.flatMap({ Int64($0) }) { properties.set(name, .integer(number)) }
        }
        setDate(values["DATE"]?.first)
    }

    /// Reads the tags of a description made without TagLib.
    init(_ description: MediaDescription) {
        self.init(
            description.tags.flatMap { name, values in
                values.map { (key: name == "PUBLISHER" ? "LABEL" : name, value: $0) }
            })
    }

    /// `3` or `3/12`.
    private mutating func setNumber(_ name: String, of total: String, text: String?) {
        let parts = (text ?? "").split(separator: "/", maxSplits: 1).map { Int64($0.filter { $0 != " " }) }
        if let number = parts.first ?? nil { properties.set(name, .integer(number)) }
        if parts.count == 2, let number = parts[1] { properties.set(total, .integer(number)) }
    }

    /// A year, or a day or a moment that starts with one.
    private mutating func setDate(_ text: String?) {
        guard let text, !text.isEmpty else { return }
        if let year = Int64(text.prefix(4)), text.count >= 4 { properties.set("year", .integer(year)) }
        if text.count != 4 { properties.set("date", text: text) }
    }
}
