import Foundation
import MediaTags

/// What the tags of an audiobook's files say about the book.
struct AudioMetadata {
    private static let maxPeople = 50

    private let tracks: [MediaDescription]
    private let sheet: CueSheet?

    /// - Parameter sheet: A cue sheet, used for what the tags leave out.
    init(_ tracks: [AudioTrack], sheet: CueSheet?) {
        self.tracks = tracks.map(\.description)
        self.sheet = sheet
    }

    /// - Parameter title: The title if the files give none.
    func metadata(titled title: String) -> Metadata {
        let own = tracks.count == 1 ? tracks[0].first("TITLE") : nil
        let album = common("ALBUM")
        var metadata = Metadata(title: LocalizedString(own ?? album ?? sheet?.title ?? title))
        metadata.type = "http://schema.org/Audiobook"
        metadata.conformsTo = [AudioParser.profile]
        metadata.subtitle = common("SUBTITLE").map { LocalizedString($0) }
        let authors = people("AUTHOR", "ALBUMARTIST", "ARTIST")
        metadata.authors = (authors.isEmpty ? [sheet?.performer].compactMap(\.self) : authors).map(Self.contributor)
        // Formats share no tag for the narrator; files use the composer's.
        let named = people("NARRATOR", "NARRATEDBY", "READER", "PERFORMER")
        metadata.narrators = (named.isEmpty ? people("COMPOSER").filter { !authors.contains($0) } : named).map(
            Self.contributor)
        metadata.publishers = people("PUBLISHER").map(Self.contributor)
        metadata.subjects = people("GENRE").map { Subject(name: LocalizedString($0)) }
        metadata.languages = people("LANGUAGE").filter(Self.isLanguage)
        metadata.description = common("LONGDESCRIPTION") ?? common("DESCRIPTION") ?? common("COMMENT")
        metadata.published =
            common("RELEASEDATE").flatMap { Date(manifestText: $0) }
            ?? common("DATE").flatMap { Date(manifestText: $0) }
        if let number = common("ISBN"), number.allSatisfy({ $0.isASCII && ($0.isNumber || "-Xx".contains($0)) }) {
            metadata.identifier = "urn:isbn:\(number)"
        }
        if let album, own != nil, album != own {
            metadata.belongsToCollections = [ParentCollection(name: LocalizedString(album))]
        }
        if let series = common("SERIES") {
            let position = common("SERIES-PART").flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
            metadata.belongsToSeries = [ParentCollection(name: LocalizedString(series), position: position)]
        }
        metadata.duration = duration
        return metadata
    }

    /// The length of all files together; nil if the length of one is unknown.
    private var duration: Double? {
        let durations = tracks.compactMap(\.duration)
        return durations.count == tracks.count && !durations.isEmpty ? durations.reduce(0, +) : nil
    }

    /// The value that all files with the tag `name` agree on.
    private func common(_ name: String) -> String? {
        let values = Set(tracks.compactMap { $0.first(name) })
        return values.count == 1 ? values.first : nil
    }

    /// The values of the first of `names` that a file has, of all files, each once. Several people in one value are
    /// separated by semicolons.
    private func people(_ names: String...) -> [String] {
        var seen: Set<String> = []
        var people: [String] = []
        for track in tracks {
            let values = names.lazy.compactMap { track.tags[$0] }.first ?? []
            for name in values.flatMap({ $0.split(separator: ";") }).map({ MarkupText.trimmed(String($0)) })
            where !name.isEmpty {
                if people.count < Self.maxPeople, seen.insert(name).inserted { people.append(name) }
            }
        }
        return people
    }

    private static func contributor(_ name: String) -> Contributor { Contributor(name: LocalizedString(name)) }

    private static func isLanguage(_ text: String) -> Bool {
        (2...35).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }
}
