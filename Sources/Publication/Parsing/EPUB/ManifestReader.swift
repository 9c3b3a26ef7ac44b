import Archives
import SafeXML

/// Makes items of the manifest of a package document, and notes what is wrong with them (EPUB 3.3, section 5.6).
struct ManifestReader {
    let references: EPUBReferences
    /// The ids that the reading order names: what it needs is missed more.
    let spine: Set<String>

    init(_ references: EPUBReferences, spine: Set<String>) {
        self.references = references
        self.spine = spine
    }

    /// Nil when the address is missing or leaves the container, or when the container has no such file. A fragment is
    /// no part of a resource's address.
    func item(_ element: XMLElement) -> PackageDocument.Item? {
        let written = MarkupText.trimmed(element.attribute("href") ?? "")
        let id = element.attribute("id").map(MarkupText.trimmed)
        guard !written.isEmpty else {
            warn(
                "item-without-address", severity: .moderate,
                message: "The item “\(id ?? "")” of the manifest has no address; it was left out.")
            return nil
        }
        // An address that is nothing but a fragment would be the package's own.
        guard !written.hasPrefix("#"), let href = references.resolve(written) else { return nil }
        let resource = HREFBase.isRemote(href) ? href : HREFBase.resource(of: href)
        guard references.isThere(resource) else {
            warn(
                "missing-resource", severity: id.map(spine.contains) == true ? .major : .moderate,
                message: "“\(resource)” is in the manifest, and not in the book; it was left out.")
            return nil
        }
        return PackageDocument.Item(
            id: id, href: resource, mediaType: value("media-type", of: element),
            properties: MarkupText.words(element.attribute("properties")),
            fallback: value("fallback", of: element), mediaOverlay: value("media-overlay", of: element))
    }

    /// Of items with one id or one address the first counts.
    func noteRepetitions(_ items: [PackageDocument.Item]) {
        var ids: Set<String> = []
        var hrefs: Set<String> = []
        for item in items {
            if let id = item.id, !ids.insert(id).inserted {
                warn(
                    "duplicate-id", severity: .moderate,
                    message: "Several items of the manifest are called “\(id)”; the first one counts.")
            }
            if !hrefs.insert(item.href).inserted {
                warn(
                    "duplicate-item", severity: .minor,
                    message: "“\(item.href)” is in the manifest more than once; the first item counts.")
            }
        }
    }

    /// A type by the name is a guess.
    func noteMissingTypes(_ items: [PackageDocument.Item]) {
        let names = CountedNames(items.lazy.filter { $0.mediaType == nil }.map(\.href))
        references.warnings.warn(
            names.warning(
                "missing-type", severity: .minor, one: "has no media type in the manifest; it was told by the name.",
                many: "have no media type in the manifest; it was told by the names."))
    }

    private func value(_ name: String, of element: XMLElement) -> String? {
        element.attribute(name).map(MarkupText.trimmed).flatMap { $0.isEmpty ? nil : $0 }
    }

    private func warn(_ tag: String, severity: ContentWarning.Severity, message: String) {
        references.warnings.warn(tag, severity: severity, message: message)
    }
}
