import SafeXML

/// The metadata of a package document, sorted for look-up (EPUB 3.3, section 5.5; OPF 2.0.1, section 2.2).
struct PackageMetadata: Sendable {
    /// One statement, about the publication or, as a refinement, about another statement or a resource.
    struct Entry: Sendable {
        /// With white space collapsed; never empty.
        let value: String
        /// As written, for prose.
        let text: String
        fileprivate(set) var id: String?
        /// The value of `xml:lang`, here or further up.
        let language: String?
        /// `role`, `file-as`, `event`, `scheme` and others, with or without the prefix `opf`.
        let attributes: [String: String]
    }

    /// The value of the package's `unique-identifier`: an `id`.
    let uniqueIdentifier: String?
    private var dublinCore: [String: [Entry]] = [:]
    private var properties: [String: [Entry]] = [:]
    private var legacy: [String: [Entry]] = [:]
    private var refinements: [String: [String: [Entry]]] = [:]
    private var links: [String: [String]] = [:]
    private let vocabulary: PropertyVocabulary
    private var ids: Set<String> = []

    init(package: XMLElement) {
        uniqueIdentifier = package.attribute("unique-identifier").map(MarkupText.trimmed)
        vocabulary = PropertyVocabulary(prefixes: package.attribute("prefix"))
        guard let metadata = package.first("metadata") else { return }
        let language = metadata.language ?? package.language
        for element in metadata.children {
            // Before EPUB each of the two kinds had its own wrapper, which OPF 2 still allows.
            let isWrapper = element.name == "dc-metadata" || element.name == "x-metadata"
            for entry in isWrapper ? element.children : [element] { add(entry, language: language) }
        }
    }
}

// MARK: Look-up

extension PackageMetadata {
    /// The Dublin Core elements with this name, such as `title`.
    func all(_ name: String) -> [Entry] { dublinCore[name] ?? [] }

    /// Returns the publication's own values of `property`, such as `dcterms:modified`.
    func property(_ property: String) -> [Entry] { properties[property] ?? [] }

    /// The `content` of the first `meta` of EPUB 2 with this `name`.
    func legacyValue(_ name: String) -> String? { legacy[name]?.first?.value }

    /// Returns the `content` of each `meta` of EPUB 2 with this `name` in any case, exact matches first.
    func legacyValues(inAnyCase name: String) -> [String] {
        let others = legacy.keys.filter { $0 != name && $0.lowercased() == name.lowercased() }.sorted()
        return ([name] + others).flatMap { legacy[$0] ?? [] }.map(\.value)
    }

    /// Values of a property that EPUB 3 writes as text and EPUB 2 as `content`.
    func values(_ name: String) -> [String] { ((properties[name] ?? []) + (legacy[name] ?? [])).map(\.value) }

    /// The addresses that the publication links to with a relation such as `dcterms:conformsTo`.
    func linked(_ relation: String) -> [String] { links[relation] ?? [] }

    /// Returns the refinements of the statement or resource with this `id`.
    func refinements(of id: String?, _ property: String) -> [Entry] {
        id.flatMap { refinements[$0]?[property] } ?? []
    }

    /// The first value that refines `entry`.
    func refinement(_ entry: Entry, property: String) -> String? {
        refinements(of: entry.id, property).first?.value
    }

    /// Whether anything refines `entry`.
    func isRefined(_ entry: Entry) -> Bool { entry.id.map { refinements[$0] != nil } ?? false }

    /// The names of the Dublin Core elements that are there.
    var dublinCoreNames: [String] { dublinCore.keys.sorted() }
}

// MARK: Sorting

extension PackageMetadata {
    private mutating func add(_ element: XMLElement, language: String?) {
        let language = element.language ?? language
        if element.isDublinCore, element.name.lowercased() != "meta" {
            let name = element.name.lowercased()
            if var entry = Entry(element, text: element.text, language: language) {
                // An `id` belongs to one element: otherwise its refinements would be read for each that claims it.
                if let id = entry.id, !ids.insert(id).inserted { entry.id = nil }
                dublinCore[name, default: []].append(entry)
            }
        } else if element.name == "meta" {
            addMeta(element, language: language)
        } else if element.name == "link" {
            addLink(element)
        }
    }

    private mutating func addMeta(_ element: XMLElement, language: String?) {
        if let property = element.attribute("property").map(MarkupText.trimmed) {
            let name = vocabulary.canonical(property)
            guard let entry = Entry(element, text: element.text, language: language) else { return }
            if let target = element.refinedID {
                refinements[target, default: [:]][name, default: []].append(entry)
            } else {
                properties[name, default: []].append(entry)
            }
        } else if let name = element.attribute("name").map(MarkupText.trimmed) {
            let content = element.attribute("content") ?? element.text
            if let entry = Entry(element, text: content, language: language) { legacy[name, default: []].append(entry) }
        }
    }

    private mutating func addLink(_ element: XMLElement) {
        guard element.refinedID == nil, let href = element.attribute("href").map(MarkupText.trimmed), !href.isEmpty
        else { return }
        let relations = MarkupText.words(element.attribute("rel")) + MarkupText.words(element.attribute("property"))
        for relation in relations { links[vocabulary.canonical(relation), default: []].append(href) }
    }
}

extension PackageMetadata.Entry {
    fileprivate init?(_ element: XMLElement, text: String, language: String?) {
        value = MarkupText.collapsed(text)
        guard !value.isEmpty else { return nil }
        self.text = MarkupText.trimmed(text)
        self.language = language
        id = element.attribute("id").map(MarkupText.trimmed)
        let pairs = element.attributes.map { ($0.name, MarkupText.trimmed($0.value)) }
        attributes = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}

extension XMLElement {
    /// Dublin Core of any version. The empty namespace is that of an undeclared prefix.
    fileprivate var isDublinCore: Bool {
        namespace.hasPrefix("http://purl.org/dc/elements/") || namespace.isEmpty && name != "link"
    }

    /// The value of `xml:lang`, nil if there is none or an empty one.
    fileprivate var language: String? {
        attribute("lang", namespace: "http://www.w3.org/XML/1998/namespace").map(MarkupText.trimmed).flatMap {
            $0.isEmpty ? nil : $0
        }
    }

    /// The `id` of the element that this one refines; nil for the whole publication.
    fileprivate var refinedID: String? {
        guard let refines = attribute("refines").map(MarkupText.trimmed), !refines.isEmpty else { return nil }
        return refines.split(separator: "#").last.map(String.init)
    }
}

/// The prefixes of properties (EPUB 3.3, section 5.4.1.5 and appendix D.1).
struct PropertyVocabulary: Sendable {
    private static let reserved: [String: String] = [
        "http://www.idpf.org/epub/vocab/package/a11y/#": "a11y",
        "http://purl.org/dc/terms/": "dcterms",
        "http://id.loc.gov/vocabulary/": "marc",
        "http://www.idpf.org/epub/vocab/overlays/#": "media",
        "http://www.editeur.org/ONIX/book/codelists/current.html#": "onix",
        "http://www.idpf.org/vocab/rendition/#": "rendition",
        "http://schema.org/": "schema",
        "http://www.w3.org/ns/tdmrep#": "tdm",
        "http://www.w3.org/ns/tdmrep/": "tdm",
        "http://www.w3.org/2001/XMLSchema#": "xsd",
    ]

    /// The usual prefix by the one that the package declares for the same vocabulary.
    private var renamed: [String: String] = [:]

    init(prefixes: String?) {
        let words = MarkupText.words(prefixes)
        for (prefix, address) in zip(words, words.dropFirst()) where prefix.hasSuffix(":") {
            if let usual = Self.reserved[address] { renamed[String(prefix.dropLast())] = usual }
        }
    }

    /// Returns `property` with its usual prefix.
    func canonical(_ property: String) -> String {
        guard !renamed.isEmpty, let colon = property.firstIndex(of: ":"),
            let usual = renamed[String(property[..<colon])]
        else {
            return property
        }
        return usual + property[colon...]
    }
}
