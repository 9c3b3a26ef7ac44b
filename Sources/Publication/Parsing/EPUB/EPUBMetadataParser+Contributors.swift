extension EPUBMetadataParser {
    /// Returns all contributors by the key of the manifest, in the order in which they are displayed.
    func contributorsByRole() -> [ContributorRole: [Contributor]] {
        let source = package.metadata
        var result: [ContributorRole: [Contributor]] = [:]
        func add(_ entries: [PackageMetadata.Entry], standard: ContributorRole, hasRoles: Bool) {
            for entry in displayed(entries) {
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

    /// Returns one part for each role of a person. A role for which the manifest has no key stays with the person.
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
        let marc = refinements.filter { role in
            // An address itself identifies its list.
            guard let scheme = role.attribute("scheme"), Self.relator(in: role.value) == nil else { return true }
            return scheme == "marc:relators" || Self.isRelatorList(scheme)
        }
        let codes = marc.isEmpty ? [entry.attribute("role")].compactMap(\.self) : marc.map(\.value)
        return codes.map { Self.relator(in: $0) ?? $0.lowercased() }
    }

    /// The code at the end of an address of the Library of Congress, such as
    /// `http://id.loc.gov/vocabulary/relators/aut`, or behind the prefix of its list; nil for what is neither.
    private static func relator(in value: String) -> String? {
        let value = value.lowercased()
        guard let slash = value.lastIndex(of: "/"), isRelatorList(String(value[..<slash])) else { return nil }
        let code = value[value.index(after: slash)...].prefix { $0 != "." && $0 != "#" }
        return code.isEmpty ? nil : String(code)
    }

    /// Whether `text` stands for the list of relators: its address, with or without a slash behind, or `marc:relators`.
    private static func isRelatorList(_ text: String) -> Bool {
        let text = text.lowercased()
        let name = text.hasSuffix("/") ? text.dropLast() : text[...]
        return ["http://id.loc.gov/vocabulary/relators", "https://id.loc.gov/vocabulary/relators", "marc:relators"]
            .contains(String(name))
    }

    private static let roles: [String: ContributorRole] = [
        "aut": .author, "pbl": .publisher, "trl": .translator, "edt": .editor, "ill": .illustrator, "art": .artist,
        "clr": .colorist, "nrt": .narrator,
    ]
}
