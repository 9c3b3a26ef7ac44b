import Archives
import SafeXML

/// Reads the items of a package document's manifest, and reports their faults (EPUB 3.3, section 5.6).
struct ManifestReader {
    let references: EPUBReferences
    /// The ids that the reading order names. Missing items among them cause a more severe warning.
    let spine: Set<String>

    init(_ references: EPUBReferences, spine: Set<String>) {
        self.references = references
        self.spine = spine
    }

    /// Nil if the address is missing or leaves the container, or if the container has no such file. A fragment is not
    /// part of a resource's address.
    func item(_ element: XMLElement) -> PackageDocument.Item? {
        let written = MarkupText.trimmed(element.attribute("href") ?? "")
        let id = element.attribute("id").map(MarkupText.trimmed)
        guard !written.isEmpty else {
            warn(
                "item-without-address", severity: .moderate,
                message: "The item “\(id ?? "")” of the manifest has no address; it was left out.")
            return nil
        }
        // An address that consists of a fragment would be the package document itself.
        guard !written.hasPrefix("#"), let href = references.resolve(written) else { return nil }
        let resource = HREFBase.isRemote(href) ? href : HREFBase.resource(of: href)
        guard references.isThere(resource) else {
            warn(
                "missing-resource", severity: id.map(spine.contains) == true ? .major : .moderate,
                message: "“\(resource)” is in the manifest but not in the book; it was left out.")
            return nil
        }
        return PackageDocument.Item(
            id: id, href: resource, mediaType: value("media-type", of: element),
            properties: MarkupText.words(element.attribute("properties")),
            fallback: value("fallback", of: element), mediaOverlay: value("media-overlay", of: element))
    }

    /// If items share an id or an address, the first counts.
    func noteRepetitions(_ items: [PackageDocument.Item]) {
        var ids: Set<String> = []
        var hrefs: Set<String> = []
        for item in items {
            if let id = item.id, !ids.insert(id).inserted {
                warn(
                    "duplicate-id", severity: .moderate,
                    message: "Several items of the manifest are called “\(id)”; the first one was used.")
            }
            if !hrefs.insert(item.href).inserted {
                warn(
                    "duplicate-item", severity: .minor,
                    message: "“\(item.href)” is in the manifest more than once; the first item was used.")
            }
        }
    }

    /// Warns of missing types; a type by the name is a guess.
    func noteMissingTypes(_ items: [PackageDocument.Item]) {
        let names = CountedNames(items.lazy.filter { $0.mediaType == nil }.map(\.href))
        references.warnings.warn(
            names.warning(
                "missing-type", severity: .minor,
                one: "has no media type in the manifest; it was guessed from the name.",
                many: "have no media type in the manifest; they were guessed from the names."))
    }

    private func value(_ name: String, of element: XMLElement) -> String? {
        element.attribute(name).map(MarkupText.trimmed).flatMap { $0.isEmpty ? nil : $0 }
    }

    private func warn(_ tag: String, severity: ContentWarning.Severity, message: String) {
        references.warnings.warn(tag, severity: severity, message: message)
    }
}
