import Publication
import SafeXML

/// Reads people and companies (RFC 4287, section 3.2).
struct AtomPersonReader {
    let scope: AtomScope

    /// Nil if there is no name.
    func person(_ element: XMLElement) throws -> Contributor? {
        let text = element.child("name", .atom).map(\.text) ?? element.ownText
        let name = AtomText.collapsed(text)
        guard !name.isEmpty else { return nil }
        var person = Contributor(name: LocalizedString(name))
        person.sortAs = sortAs(of: element).map { LocalizedString($0) }
        let scope = scope.within(element)
        person.identifier = try element.childText("uri", .atom).map { try scope.absolute($0) }
        let reader = AtomLinkReader(scope: scope)
        person.links = try element.elements("link", .atom).prefix(10).compactMap { try reader.link($0) }
        return person
    }

    private func sortAs(of element: XMLElement) -> String? {
        element.value("file-as", .packages) ?? element.first("sort_name").flatMap { AtomText.present($0.text) }
    }

    /// Adds the person in an `atom:contributor` under the role that its MARC relator code has (EPUB 3.3, section 5.5.3).
    func readContributor(_ element: XMLElement, into metadata: inout Metadata) throws {
        guard var contributor = try person(element) else { return }
        let code = element.value("role", .packages)?.lowercased()
        guard let role = code.flatMap(AtomRole.role) else {
            contributor.roles = code.map { [$0] } ?? []
            metadata[.contributor].append(contributor)
            return
        }
        metadata[role].append(contributor)
    }
}

/// Contributors' roles and the codes for them.
enum AtomRole {
    private static let codes: [(code: String, role: ContributorRole)] = [
        ("aut", .author), ("trl", .translator), ("edt", .editor), ("art", .artist), ("ill", .illustrator),
        ("clr", .colorist), ("nrt", .narrator), ("pbl", .publisher), ("ctb", .contributor),
    ]

    /// The role with this MARC relator code, or with this name.
    static func role(_ code: String) -> ContributorRole? {
        codes.first { $0.code == code }?.role ?? ContributorRole(rawValue: code)
    }

    /// The code of a role; its name if MARC has none.
    static func code(of role: ContributorRole) -> String {
        codes.first { $0.role == role }?.code ?? role.rawValue
    }
}
