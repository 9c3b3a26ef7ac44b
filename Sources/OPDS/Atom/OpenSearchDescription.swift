public import Foundation
import FileProviderCore
public import MediaTypes
import SafeXML

/// The description of a catalogue's search (OpenSearch 1.1; OPDS 1.2, section 3).
public struct OpenSearchDescription: Hashable, Sendable {
    /// The media type of search descriptions.
    public static let mediaType: MediaType = MediaType("application/opensearchdescription+xml")

    /// The name of the search.
    public var shortName: String
    /// A text for people about the search.
    public var description: String
    /// The addresses of results.
    public var templates: [Template]

    /// The address of results of one media type.
    public struct Template: Hashable, Sendable {
        /// The media type of the results.
        public var type: String
        /// The address with parameters in braces, such as `https://example.org/search?q={searchTerms}&page={startPage?}`.
        public var template: String

        /// A template for results of a media type.
        public init(type: String, template: String) {
            self.type = type
            self.template = template
        }
    }

    /// A description to be written.
    public init(shortName: String, description: String = "", templates: [Template]) {
        self.shortName = shortName
        self.description = description
        self.templates = templates
    }
}

// MARK: Reading and writing

extension OpenSearchDescription {
    /// Reads a description. Templates for suggestions, and those beyond the limit for links, are left out.
    ///
    /// - Parameter url: The address of the document. Relative templates become absolute with it.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if it is no description, `.fileReadTooLarge` over a limit.
    public init(xml: Data, url: URL? = nil, limits: CatalogLimits = CatalogLimits()) throws {
        let root = try AtomDocument.root(of: xml, url: url, limits: limits)
        guard root.name == "OpenSearchDescription" else {
            throw CocoaError.noCatalog("The XML document is not a description of a search.", url: url)
        }
        let scope = AtomScope(url: url, limits: limits).within(root)
        let templates = try root.all("Url").prefix(max(0, limits.linksPerEntry)).compactMap { element -> Template? in
            let isForResults = (element.value("rel") ?? "results").split(separator: " ").contains("results")
            guard isForResults, let text = element.value("template") else { return nil }
            return Template(
                type: element.value("type") ?? "", template: try scope.within(element).absolute(text))
        }
        self.init(
            shortName: root.first("ShortName").map { AtomText.collapsed($0.text) } ?? "",
            description: root.first("Description").map { AtomText.collapsed($0.text) } ?? "", templates: templates)
    }

    /// The description as an XML document.
    public var xml: Data {
        var writer = MarkupWriter.document()
        writer.startTag(
            "OpenSearchDescription",
            [("xmlns", AtomNamespace.openSearch.names[0]), ("xmlns:atom", AtomNamespace.atom.names[0])])
        writer.element("ShortName", text: shortName)
        writer.element("Description", text: description)
        writer.element("InputEncoding", text: "UTF-8")
        writer.element("OutputEncoding", text: "UTF-8")
        for template in templates {
            writer.emptyTag("Url", [("type", template.type), ("template", template.template)])
        }
        writer.endTag("OpenSearchDescription")
        return writer.data
    }
}

// MARK: Searching

extension OpenSearchDescription {
    /// Returns the address of results in a catalogue's format, OPDS 2.0 before OPDS 1.2.
    ///
    /// Terms that a template has no parameter for are searched for anywhere. Of two templates of a format, the one
    /// with more of the parameters counts.
    /// - Returns: Nil if there is no template for OPDS or Atom that can be filled in.
    public func url(for terms: SearchTerms) -> URL? {
        let usable = templates.compactMap { template in
            Self.rank(of: template.type).map { (template: template.template, rank: $0) }
        }
        let ranked = usable.sorted { left, right in
            if left.rank != right.rank { return left.rank < right.rank }
            return Self.fields(of: left.template, terms) > Self.fields(of: right.template, terms)
        }
        return ranked.lazy.compactMap { Self.fill($0.template, terms) }.first
    }

    private static func rank(of type: String) -> Int? {
        guard let type = MediaType(type) else { return nil }
        if MediaType.opds2.contains(type) { return 0 }
        if MediaType.opds1.contains(type) { return 1 }
        return type.type == "application" && type.subtype == "atom+xml" ? 2 : nil
    }

    /// How many of the wanted fields a template has.
    private static func fields(of template: String, _ terms: SearchTerms) -> Int {
        let names = Set(Self.parts(of: template).compactMap(\.parameter))
        return ["title", "author", "contributor"].count { terms.values[$0] != nil && names.contains($0) }
    }

    private static func fill(_ template: String, _ terms: SearchTerms) -> URL? {
        let parts = Self.parts(of: template)
        let names = Set(parts.compactMap(\.parameter))
        let values = terms.values
        var address = ""
        for part in parts {
            address += encoded(part.literal, isLiteral: true)
            guard let name = part.parameter else { continue }
            if name == "searchTerms" {
                let rest = ["title", "author", "contributor"].map { names.contains($0) ? nil : values[$0] }
                address += encoded(terms.text(with: rest), isLiteral: false)
            } else if let value = values[name] {
                address += encoded(value, isLiteral: false)
            } else if !part.isOptional {
                // The smallest page, and any language (OpenSearch 1.1).
                guard let usual = usualValues[name] else { return nil }
                address += usual
            }
        }
        return URL(string: address)
    }

    private static let usualValues = [
        "startIndex": "1", "startPage": "1", "count": "", "language": "*", "title": "", "author": "", "contributor": "",
    ]

    /// A literal text with the parameter behind it, whose prefix is dropped: `atom:title` is `title`.
    private struct Part {
        let literal: Substring
        var parameter: String?
        var isOptional = true
    }

    private static func parts(of template: String) -> [Part] {
        var parts: [Part] = []
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let inner = rest[rest.index(after: open)..<close]
            let isOptional = inner.hasSuffix("?")
            let name = (isOptional ? inner.dropLast() : inner).split(separator: ":").last ?? ""
            parts.append(Part(literal: rest[..<open], parameter: String(name), isOptional: isOptional))
            rest = rest[rest.index(after: close)...]
        }
        parts.append(Part(literal: rest))
        return parts
    }

    /// - Parameter isLiteral: Whether to keep what an address may hold (RFC 3986, section 2).
    private static func encoded(_ text: some StringProtocol, isLiteral: Bool) -> String {
        PercentEncoding.encoded(text.utf8) {
            PercentEncoding.isUnreserved($0) || isLiteral && ":/?#[]@!$&'()*+,;=%".utf8.contains($0)
        }
    }
}
