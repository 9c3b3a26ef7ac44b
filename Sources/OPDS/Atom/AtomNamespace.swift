import SafeXML

/// A namespace of the elements and attributes in catalogues.
enum AtomNamespace {
    case atom
    case dublinCore
    case opds
    case openSearch
    case packages
    case pageStreaming
    case schema
    case threading
    case xml

    /// The namespace as it is written, then the other spellings that catalogues use.
    var names: [String] {
        switch self {
        case .atom: ["http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"]
        case .dublinCore: ["http://purl.org/dc/terms/", "http://purl.org/dc/elements/1.1/"]
        case .opds: ["http://opds-spec.org/2010/catalog", "https://opds-spec.org/2010/catalog"]
        case .openSearch: ["http://a9.com/-/spec/opensearch/1.1/", "http://a9.com/-/spec/opensearchrss/1.0/"]
        case .packages: ["http://www.idpf.org/2007/opf"]
        case .pageStreaming: ["http://vaemendis.net/opds-pse/ns"]
        case .schema: ["http://schema.org/", "https://schema.org/", "http://schema.org"]
        case .threading: ["http://purl.org/syndication/thread/1.0"]
        case .xml: ["http://www.w3.org/XML/1998/namespace"]
        }
    }

    /// Whether `name` is this namespace, or none: catalogues forget declarations.
    func contains(_ name: String) -> Bool { name.isEmpty || names.contains(name) }
}

/// Look-ups that forgive a missing declaration of the namespace.
extension XMLElement {
    func isNamed(_ name: String, _ namespace: AtomNamespace) -> Bool {
        self.name == name && namespace.contains(self.namespace)
    }

    func elements(_ name: String, _ namespace: AtomNamespace) -> [XMLElement] {
        children.filter { $0.isNamed(name, namespace) }
    }

    func child(_ name: String, _ namespace: AtomNamespace) -> XMLElement? {
        for case .element(let child) in nodes where child.isNamed(name, namespace) { return child }
        return nil
    }

    /// The text of a child, without white space around it; nil if there is none.
    func childText(_ name: String, _ namespace: AtomNamespace) -> String? {
        child(name, namespace).flatMap { AtomText.present($0.text) }
    }

    /// The value of an attribute, without white space around it; nil if it is missing or empty.
    func value(_ name: String, _ namespace: AtomNamespace) -> String? {
        let found = attributes.first { $0.name == name && !$0.namespace.isEmpty && namespace.contains($0.namespace) }
        return (found?.value ?? attribute(name)).flatMap(AtomText.present)
    }

    /// The value of an attribute without a namespace, without white space around it; nil if it is missing or empty.
    func value(_ name: String) -> String? { attribute(name).flatMap(AtomText.present) }
}
