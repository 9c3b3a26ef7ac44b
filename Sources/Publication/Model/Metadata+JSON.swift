import Foundation

extension Metadata {
    /// Reads a metadata object. Members of the wrong kind are ignored.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if there is no title.
    public init(json: JSONValue) throws {
        guard let title = json["title"].flatMap(LocalizedString.init(json:)) else {
            throw CocoaError.unreadable("The manifest has no title.")
        }
        self.init(title: title)
        readIdentity(from: json)
        readDescription(from: json)
        readPresentation(from: json)
        for role in ContributorRole.allCases {
            self[role] = (json[role.rawValue]?.oneOrMany ?? []).compactMap(Contributor.init(json:))
        }
        belongsTo = (json["belongsTo"]?.objectValue ?? [:]).compactMapValues { value in
            let collections = value.oneOrMany.compactMap(ParentCollection.init(json:))
            return collections.isEmpty ? nil : collections
        }
        tdm = json["tdm"].flatMap(TextAndDataMining.init(json:))
        otherMetadata = json.members(besides: Self.keys)
        keepUnknownWords(from: json)
    }

    /// Keeps unknown words unchanged. Vocabularies grow and shrink: `ttb` was once a `readingProgression`.
    private mutating func keepUnknownWords(from json: JSONValue) {
        if readingProgression == nil { otherMetadata["readingProgression"] = json["readingProgression"] }
        if layout == nil { otherMetadata["layout"] = json["layout"] }
        if tdm == nil { otherMetadata["tdm"] = json["tdm"] }
    }

    private mutating func readIdentity(from json: JSONValue) {
        identifier = json["identifier"]?.stringValue
        alternateIdentifiers = (json["altIdentifier"]?.oneOrMany ?? []).compactMap(AlternateIdentifier.init(json:))
        type = json["@type"]?.strings.first
        conformsTo = json["conformsTo"]?.strings ?? []
    }

    private mutating func readDescription(from json: JSONValue) {
        subtitle = json["subtitle"].flatMap(LocalizedString.init(json:))
        sortAs = json["sortAs"].flatMap(LocalizedString.init(json:))
        accessibility = json["accessibility"].flatMap(Accessibility.init(json:))
        modified = json["modified"]?.stringValue.flatMap(Date.init(manifestText:))
        published = json["published"]?.stringValue.flatMap(Date.init(manifestText:))
        languages = json["language"]?.strings ?? []
        subjects = (json["subject"]?.oneOrMany ?? []).compactMap(Subject.init(json:))
        description = json["description"].flatMap(LocalizedString.init(json:))?.string
    }

    private mutating func readPresentation(from json: JSONValue) {
        readingProgression = json["readingProgression"]?.stringValue.flatMap(ReadingProgression.init(rawValue:))
        // Manifests that are older than the key have it in the presentation object of the EPUB profile.
        let layoutName = json["layout"] ?? json["presentation"]?["layout"]
        layout = layoutName?.stringValue.flatMap(Layout.init(rawValue:))
        duration = json["duration"]?.positiveNumber
        numberOfPages = json["numberOfPages"]?.positiveInteger.flatMap(Int.init(exactly:))
        abridged = json["abridged"]?.boolValue
    }
}

extension Metadata {
    /// The metadata object. A property wins over a member of the same name in ``otherMetadata``.
    public var json: JSONValue {
        var members = otherMetadata
        members.merge(identityMembers) { _, known in known }
        members.merge(descriptionMembers) { _, known in known }
        members.merge(presentationMembers) { _, known in known }
        for (role, contributors) in contributorsByRole {
            members[role.rawValue] = .oneOrMany(contributors.map(\.json))
        }
        let parents = belongsTo.compactMapValues { JSONValue.oneOrMany($0.map(\.json)) }
        if !parents.isEmpty { members["belongsTo"] = .object(parents) }
        if let tdm { members["tdm"] = tdm.json }
        return .object(members)
    }

    private var identityMembers: [String: JSONValue] {
        [
            "identifier": identifier.map(JSONValue.string),
            "altIdentifier": .nonEmpty(alternateIdentifiers.map(\.json)),
            "@type": type.map(JSONValue.string),
            "conformsTo": .oneOrMany(conformsTo),
        ].compactMapValues { $0 }
    }

    private var descriptionMembers: [String: JSONValue] {
        [
            "title": title.json,
            "subtitle": subtitle?.json,
            "sortAs": sortAs?.json,
            "accessibility": accessibility?.json,
            "modified": modified.map { .string($0.manifestText) },
            "published": published.map { .string($0.manifestDayOrTime) },
            "language": .oneOrMany(languages),
            "subject": .oneOrMany(subjects.map(\.json)),
            "description": description.map(JSONValue.string),
        ].compactMapValues { $0 }
    }

    private var presentationMembers: [String: JSONValue] {
        [
            "readingProgression": readingProgression.map { .string($0.rawValue) },
            "layout": layout.map { .string($0.rawValue) },
            "duration": .positive(duration),
            "numberOfPages": .positive(numberOfPages),
            "abridged": abridged.map(JSONValue.bool),
        ].compactMapValues { $0 }
    }

    /// The members that have a property.
    private static let keys = Set(ContributorRole.allCases.map(\.rawValue)).union([
        "identifier", "altIdentifier", "@type", "conformsTo", "title", "subtitle", "sortAs", "accessibility",
        "modified", "published", "language", "subject", "description", "readingProgression", "layout", "duration",
        "numberOfPages", "abridged", "belongsTo", "tdm",
    ])
}
