import Archives
import Foundation

/// A W3C publication manifest, to convert into Readium's (Publication Manifest, W3C recommendation of 2020; the mapping
/// of audiobooks that the Readium architecture describes).
struct W3CManifest {
    let json: JSONValue
    /// The folder of the document, against which its addresses are resolved.
    let folder: HREFBase
    let warnings: WarningLog

    /// - Parameters:
    ///   - titleOfLastResort: The title if neither the manifest nor the page has one.
    ///   - page: The primary entry page.
    func manifest(titleOfLastResort: String, page: W3CPage?) -> Manifest {
        let links = W3CLinks(folder: folder, warnings: warnings)
        var readingOrder = links.links(json["readingOrder"], in: "readingOrder")
        if readingOrder.isEmpty {
            noteMissingOrder(page)
            readingOrder = page.map { [Link(href: $0.href, mediaType: .html)] } ?? []
        }
        let read = Set(readingOrder.map(\.href))
        let resources = links.links(json["resources"], in: "resources").filter { !read.contains($0.href) }
        return Manifest(
            metadata: metadata(titleOfLastResort, page, isAudiobook: isAudiobook || readingOrder.allAreAudio),
            links: links.links(json["links"], in: "links"), readingOrder: readingOrder, resources: resources)
    }

    private func noteMissingOrder(_ page: W3CPage?) {
        let problem = "The manifest has no reading order"
        if let page {
            warnings.warn(
                "missing-reading-order", severity: .minor,
                message: "\(problem); the first page, “\(page.href)”, is used as the only resource.")
        } else {
            warnings.warn(
                "missing-reading-order", severity: .major,
                message: "\(problem), so there is nothing to read; it was opened without one.")
        }
    }

    private static let audiobooks = "https://www.w3.org/TR/audiobooks"

    private var isAudiobook: Bool {
        types.contains("Audiobook") || (json["conformsTo"]?.strings ?? []).contains { $0.hasPrefix(Self.audiobooks) }
    }

    /// Without the address of the vocabulary, which a manifest may omit.
    private var types: [String] {
        (json["type"] ?? json["@type"])?.strings.compactMap { $0.split(separator: "/").last.map(String.init) } ?? []
    }

    private func metadata(_ titleOfLastResort: String, _ page: W3CPage?, isAudiobook: Bool) -> Metadata {
        let text = W3CText(json["@context"])
        var metadata = Metadata(title: title(text, page) ?? LocalizedString(titleOfLastResort))
        addIdentifiers(to: &metadata)
        let type = isAudiobook ? "Audiobook" : types.first
        metadata.type = type.map { "http://schema.org/\($0)" }
        let profiles = (json["conformsTo"]?.strings ?? []).filter { !$0.hasPrefix(Self.audiobooks) }
        metadata.conformsTo = (isAudiobook ? [AudioParser.profile] : []) + profiles.filter { $0 != AudioParser.profile }
        metadata.languages = json["inLanguage"]?.strings ?? [text.language].compactMap(\.self)
        metadata.description = json["description"].flatMap(text.localized)?.string
        metadata.modified = date("dateModified")
        metadata.published = date("datePublished")
        metadata.duration = json["duration"].flatMap { ISODuration.seconds($0) }
        metadata.readingProgression = json["readingProgression"]?.stringValue.flatMap(
            Metadata.ReadingProgression.init(rawValue:))
        metadata.abridged = json["abridged"]?.boolValue
        metadata.numberOfPages = json["numberOfPages"]?.positiveInteger.flatMap(Int.init(exactly:))
        metadata.accessibility = accessibility(text)
        for (key, role) in Self.roles {
            var seen = Set(metadata[role])
            let others = (json[key]?.oneOrMany ?? []).compactMap { contributor($0, text) }.filter {
                seen.insert($0).inserted
            }
            metadata[role] += others
        }
        addOthers(to: &metadata, direction: text.direction)
        check(metadata)
        return metadata
    }

    /// Warns of members that are present and could not be read. Dates cause warnings where they are parsed.
    private func check(_ metadata: Metadata) {
        let missing: [(key: String, isMissing: Bool)] = [
            ("duration", metadata.duration == nil), ("readingProgression", metadata.readingProgression == nil),
            ("abridged", metadata.abridged == nil), ("numberOfPages", metadata.numberOfPages == nil),
            ("inLanguage", metadata.languages.isEmpty), ("description", metadata.description == nil),
            ("conformsTo", metadata.conformsTo.isEmpty),
        ]
        let roles = Self.roles.map { (key: $0.0, isMissing: metadata[$0.1].isEmpty) }
        for (key, isMissing) in missing + roles where isMissing {
            guard let value = json[key], !value.saysNothing else { continue }
            warnings.warn(
                "invalid-metadata", severity: .minor,
                message: "The manifest's “\(key)” has an invalid value; it was left out."
            )
        }
    }

    private func title(_ text: W3CText, _ page: W3CPage?) -> LocalizedString? {
        if let title = json["name"].flatMap(text.localized) { return title }
        let substitute = page?.title == nil ? "the name of the file" : "the title of the first page"
        warnings.warn(
            "missing-title", severity: .moderate, message: "The manifest has no name; \(substitute) is used instead.")
        return page?.title
    }

    private func date(_ key: String) -> Date? {
        guard let value = json[key] else { return nil }
        let date = value.stringValue.flatMap { Date(manifestText: $0) }
        if date == nil {
            warnings.warn(
                "invalid-metadata", severity: .minor,
                message: "The manifest's “\(key)” has an invalid value; it was left out."
            )
        }
        return date
    }
}

// MARK: Identity and people

extension W3CManifest {
    /// Adds the first of `id`, `url` and an identifier derived from the content, which is stable while the content is.
    private func addIdentifiers(to metadata: inout Metadata) {
        var all = (json["id"] ?? json["@id"])?.strings ?? []
        all += json["url"]?.strings ?? []
        metadata.identifier = all.first ?? W3CIdentifier.urn(of: json.jsonString)
        let others = all.dropFirst().filter { $0 != all.first }
        metadata.alternateIdentifiers = others.map { AlternateIdentifier($0) }
    }

    private static let roles: [(String, ContributorRole)] = [
        ("author", .author), ("creator", .author), ("readBy", .narrator), ("publisher", .publisher),
        ("translator", .translator),
        ("editor", .editor), ("artist", .artist), ("illustrator", .illustrator), ("inker", .inker),
        ("letterer", .letterer),
        ("penciler", .penciler), ("colorist", .colorist), ("contributor", .contributor),
    ]

    /// A name, or a person or an organisation with one.
    private func contributor(_ json: JSONValue, _ text: W3CText) -> Contributor? {
        // An object with a value is a localized name, any other a person or an organisation.
        let isName = json.stringValue != nil || json["value"] != nil
        guard let name = isName ? text.localized(json) : json["name"].flatMap(text.localized) else { return nil }
        let addresses = json["url"]?.strings ?? []
        var contributor = Contributor(name: name, identifier: json["id"]?.stringValue ?? addresses.first)
        let identifiers = (json["identifier"]?.strings ?? []).filter { $0 != contributor.identifier }
        contributor.alternateIdentifiers = identifiers.map { AlternateIdentifier($0) }
        contributor.links = addresses.map { Link(href: $0) }
        return contributor
    }
}

// MARK: Accessibility and the rest

extension W3CManifest {
    private func accessibility(_ text: W3CText) -> Accessibility? {
        var result = Accessibility()
        result.accessModes = json["accessMode"]?.strings ?? []
        result.accessModesSufficient = (json["accessModeSufficient"]?.oneOrMany ?? []).map { Self.modes($0) }.filter {
            !$0.isEmpty
        }
        result.features = json["accessibilityFeature"]?.strings ?? []
        result.hazards = json["accessibilityHazard"]?.strings ?? []
        result.summary = json["accessibilitySummary"].flatMap(text.localized)?.string
        return result == Accessibility() ? nil : result
    }

    /// Returns one set of senses: a list of schema.org, or words between commas.
    private static func modes(_ json: JSONValue) -> [String] {
        let words =
            json["itemListElement"]?.strings ?? json.strings.flatMap { $0.split(separator: ",").map(String.init) }
        return words.map { MarkupText.trimmed($0) }.filter { !$0.isEmpty }
    }

    /// Adds the members without a counterpart, unchanged.
    private func addOthers(to metadata: inout Metadata, direction: String?) {
        metadata.otherMetadata = (json.objectValue ?? [:]).filter { !Self.keys.contains($0.key) }
        if let direction { metadata.otherMetadata["direction"] = .string(direction) }
    }

    private static let keys = Set(roles.map(\.0)).union([
        "@context", "type", "@type", "id", "@id", "url", "conformsTo", "name", "inLanguage", "description",
        "dateModified",
        "datePublished", "duration", "readingProgression", "abridged", "numberOfPages", "accessMode",
        "accessModeSufficient",
        "accessibilityFeature", "accessibilityHazard", "accessibilitySummary", "readingOrder", "resources", "links",
    ])
}
