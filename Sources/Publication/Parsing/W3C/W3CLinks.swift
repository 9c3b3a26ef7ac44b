import Archives
import MediaTypes

/// Links of a publication manifest: addresses, or objects with one (Publication Manifest, section 4.2.4.3).
struct W3CLinks {
    let folder: HREFBase
    let warnings: WarningLog

    /// - Parameter list: The manifest's name for the list, for warnings.
    func links(_ json: JSONValue?, in list: String) -> [Link] {
        var seen: Set<String> = []
        return (json?.oneOrMany ?? []).compactMap { link($0, in: list) }.filter { seen.insert($0.href).inserted }
    }

    private func link(_ json: JSONValue, in list: String) -> Link? {
        guard let address = json.stringValue ?? json["url"]?.strings.first else {
            warnings.warn(
                "invalid-link", severity: list == "readingOrder" ? .major : .moderate,
                message: "An entry of “\(list)” in the manifest has no address; it was left out.")
            return nil
        }
        guard let href = folder.resolve(address) ?? Self.otherScheme(address, list) else {
            warnings.warn(
                "invalid-link", severity: list == "readingOrder" ? .major : .moderate,
                message: "“\(address)” in the manifest leads out of the publication; it was left out.")
            return nil
        }
        var link = Link(href: href, type: json["encodingFormat"]?.stringValue ?? MediaType.byExtension(of: href).string)
        link.title = json["name"].flatMap(W3CText(nil).localized)?.string
        link.rels = (json["rel"]?.strings ?? []).map(Self.relation)
        link.duration = json["duration"].flatMap { ISODuration.seconds($0) }
        link.languages = json["inLanguage"]?.strings ?? []
        link.properties["integrity"] = json["integrity"].flatMap { $0.stringValue.map(JSONValue.string) }
        link.properties["description"] = json["description"].flatMap(W3CText(nil).localized)?.json
        link.alternates = links(json["alternate"], in: "alternate")
        return link
    }

    /// Resources that only belong to a publication may be anywhere.
    private static func otherScheme(_ address: String, _ list: String) -> String? {
        list == "links" && HREF.scheme(of: MarkupText.trimmed(address)) != nil ? MarkupText.trimmed(address) : nil
    }

    /// The drafts wrote relations as addresses.
    private static func relation(_ relation: String) -> String {
        let prefix = "https://www.w3.org/ns/wp#"
        return relation.hasPrefix(prefix) ? String(relation.dropFirst(prefix.count)) : relation
    }
}
