extension EPUBMetadataParser {
    /// Everyone who had a part, by the key of the manifest; the order within one key is that of the document.
    func contributorsByRole() -> [ContributorRole: [Contributor]] {
        let source = package.metadata
        var result: [ContributorRole: [Contributor]] = [:]
        func add(_ entries: [PackageMetadata.Entry], standard: ContributorRole, hasRoles: Bool) {
            for entry in entries {
                for (role, contributor) in parts(of: entry, standard: standard, hasRoles: hasRoles) {
                    result[role, default: []].append(contributor)
                }
            }
        }
        add(source.all("creator"), standard: .author, hasRoles: true)
        add(source.all("contributor"), standard: .contributor, hasRoles: true)
        add(source.all("publisher"), standard: .publisher, hasRoles: false)
        add(source.property("media:narrator"), standard: .narrator, hasRoles: false)
        return result
    }

    /// One for each role that a person had. A role without a key of its own stays with the person.
    private func parts(
        of entry: PackageMetadata.Entry, standard: ContributorRole, hasRoles: Bool
    ) -> [(ContributorRole, Contributor)] {
        let contributor = Contributor(name: localized(entry), sortAs: sortAs(entry))
        let codes = hasRoles ? roleCodes(of: entry) : []
        var keys: [ContributorRole] = []
        var unknown: [String] = []
        for code in codes {
            if let key = Self.roles[code] {
                if !keys.contains(key) { keys.append(key) }
            } else {
                unknown.append(code)
            }
        }
        guard keys.isEmpty else { return keys.map { ($0, contributor) } }
        var other = contributor
        other.roles = unknown
        return [(standard, other)]
    }

    /// MARC relator codes: refinements in EPUB 3 (appendix D.3.10), an attribute in EPUB 2.
    private func roleCodes(of entry: PackageMetadata.Entry) -> [String] {
        let refinements = package.metadata.refinements(of: entry.id, "role")
        let marc = refinements.filter { ($0.attribute("scheme") ?? "marc:relators") == "marc:relators" }.map(\.value)
        return (marc.isEmpty ? [entry.attribute("role")].compactMap { $0 } : marc).map { $0.lowercased() }
    }

    private static let roles: [String: ContributorRole] = [
        "aut": .author, "pbl": .publisher, "trl": .translator, "edt": .editor, "ill": .illustrator, "art": .artist,
        "clr": .colorist, "nrt": .narrator,
    ]
}
