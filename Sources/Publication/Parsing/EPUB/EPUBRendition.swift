import SafeXML

/// One of the forms in which an EPUB contains its book, each with its own package document (EPUB Multiple-Rendition
/// Publications 1.1, section 3).
///
/// Most books have one. If there are several, the attributes in `META-INF/container.xml` say for whom each is meant.
public struct EPUBRendition: Hashable, Sendable {
    /// The address of the package document, relative to the root of the container.
    public let href: String
    /// Whether pages have a fixed size (`rendition:layout`); nil if not specified.
    public let layout: Metadata.Layout?
    /// A CSS media query that the device should match (`rendition:media`), as written.
    public let media: String?
    /// The language (`rendition:language`), a BCP 47 tag.
    public let language: String?
    /// The senses needed to take it in, such as `visual` and `textual` (`rendition:accessMode`).
    public let accessModes: [String]
    /// The name to show when people choose (`rendition:label`).
    public let label: String?

    /// A rendition with an address and no attributes.
    init(href: String) {
        self.href = href
        (layout, media, language, accessModes, label) = (nil, nil, nil, [], nil)
    }

    fileprivate init?(_ rootFile: XMLElement, references: EPUBReferences) {
        guard let href = rootFile.attribute("full-path").flatMap(references.resolve), !HREFBase.isRemote(href) else {
            return nil
        }
        func value(_ name: String) -> String? {
            let value =
                rootFile.attribute(name, namespace: "http://www.idpf.org/2013/rendition") ?? rootFile.attribute(name)
            return value.map(MarkupText.collapsed).flatMap { $0.isEmpty ? nil : $0 }
        }
        self.href = href
        layout = value("layout").flatMap(RenditionProperty.layout)
        if let layout = value("layout") { RenditionProperty.check("layout", layout, references.warnings) }
        media = value("media")
        language = value("language")
        accessModes = MarkupText.words(value("accessMode"))
        label = value("label")
    }

    /// The link in the manifest of another rendition.
    var link: Link {
        var link = Link(href: href, type: ContainerDocument.packageType, title: label, rels: ["alternate"])
        link.languages = language.map { [$0] } ?? []
        link.properties.layout = layout
        link.properties["media"] = media.map(JSONValue.string)
        link.properties["accessMode"] = .nonEmpty(accessModes.map(JSONValue.string))
        return link
    }
}

/// `META-INF/container.xml`: where the package documents are (EPUB 3.3, section 4.2.6.3.1).
struct ContainerDocument: Sendable {
    static let href = "META-INF/container.xml"
    static let packageType = "application/oebps-package+xml"

    /// The renditions in their order, the default one first; empty if the document names none that is in the container.
    let renditions: [EPUBRendition]

    init(_ root: XMLElement, references: EPUBReferences) {
        let rootFiles = root.descendants("rootfile")
        let packages = rootFiles.filter { $0.attribute("media-type").map(MarkupText.trimmed) == Self.packageType }
        // Old books omit the type.
        let locations = EPUBReferences(
            document: references.document, folder: .root, inventory: references.inventory, warnings: references.warnings
        )
        renditions = (packages.isEmpty ? rootFiles : packages).compactMap { EPUBRendition($0, references: locations) }
    }
}
