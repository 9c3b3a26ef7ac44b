import Archives
import SafeXML

extension EPUBMetadataParser {
    /// The layout of the book (EPUB 3.3, section 8.2.2.1); reflowable by default.
    var layout: Metadata.Layout {
        if let declared = package.metadata.property("rendition:layout").first?.value {
            return RenditionProperty.layout(declared) ?? .reflowable
        }
        // Books made for Kindle (Amazon Kindle Publishing Guidelines, `fixed-layout`).
        if package.metadata.legacyValue("fixed-layout")?.lowercased() == "true" { return .fixed }
        return !package.isEPUB3 && displayOptions.isFixedLayout ? .fixed : .reflowable
    }

    /// Returns the metadata that have no separate property: the other rendition settings under `presentation`,
    /// the style classes of media overlays (EPUB 3.3, section 9.3.5.2), and further Dublin Core elements under their
    /// addresses.
    func otherMetadata() -> [String: JSONValue] {
        let source = package.metadata
        var other: [String: JSONValue] = [:]
        var presentation: [String: JSONValue] = [:]
        for name in RenditionProperty.names {
            guard let value = source.property("rendition:\(name)").first?.value else { continue }
            presentation.merge(RenditionProperty.members(name, value)) { $1 }
        }
        if !package.isEPUB3, let orientation = displayOptions.orientation {
            presentation["orientation"] = .string(orientation)
        }
        if !presentation.isEmpty { other["presentation"] = .object(presentation) }
        other["mediaOverlay"] = Self.object([
            "activeClass": source.values("media:active-class").first,
            "playbackActiveClass": source.values("media:playback-active-class").first,
        ])
        for name in source.dublinCoreNames where !Self.handledElements.contains(name) {
            other["http://purl.org/dc/elements/1.1/\(name)"] = .oneOrMany(source.all(name).map(\.value))
        }
        return other
    }

    /// Warns of settings with undefined values, for the publication and for places in the spine.
    func noteRendition() {
        for name in ["layout"] + RenditionProperty.names {
            guard let value = package.metadata.property("rendition:\(name)").first?.value else { continue }
            RenditionProperty.check(name, value, warnings)
        }
        let odd = CountedNames(package.spine.lazy.flatMap(\.properties).filter { !RenditionProperty.isKnown($0) })
        warnings.warn(
            odd.warning(
                "odd-rendition", severity: .minor,
                one: "in the reading order is not a property that EPUB defines; it was ignored.",
                many: "in the reading order are not properties that EPUB defines; they were ignored."))
    }

    /// The permission for text and data mining (TDM Reservation Protocol, section 6); nil if not specified.
    var tdm: TextAndDataMining? {
        let source = package.metadata
        guard let reservation = source.values("tdm:reservation").first else { return nil }
        let policy = (source.values("tdm:policy") + source.linked("tdm:policy")).first
        return TextAndDataMining(reservation: reservation == "1" ? .all : .nothing, policy: policy)
    }

    /// Nil if it would be empty.
    private static func object(_ members: [String: String?]) -> JSONValue? {
        let present = members.compactMapValues { $0.map(JSONValue.string) }
        return present.isEmpty ? nil : .object(present)
    }

    private static let handledElements: Set<String> = [
        "title", "identifier", "date", "language", "creator", "contributor", "publisher", "subject", "description",
    ]
}

/// The values of EPUB's rendition properties in the words of the manifest.
enum RenditionProperty {
    /// The properties that go under `presentation`, for the publication or for one resource.
    static let names = ["orientation", "spread", "flow"]

    static func layout(_ value: String) -> Metadata.Layout? {
        switch value {
        case "pre-paginated": .fixed
        case "reflowable": .reflowable
        default: nil
        }
    }

    /// Returns the members for the setting `name`; none for an undefined value.
    static func members(_ name: String, _ value: String) -> [String: JSONValue] {
        switch (name, value) {
        case ("orientation", "auto"), ("orientation", "landscape"), ("orientation", "portrait"):
            ["orientation": .string(value)]
        case ("spread", "none"), ("spread", "auto"), ("spread", "landscape"), ("spread", "both"):
            ["spread": .string(value)]
        case ("spread", "portrait"): ["spread": "both"]
        case ("flow", "auto"), ("flow", "paginated"): ["overflow": .string(value), "continuous": false]
        case ("flow", "scrolled-doc"): ["overflow": "scrolled", "continuous": false]
        case ("flow", "scrolled-continuous"): ["overflow": "scrolled", "continuous": true]
        default: [:]
        }
    }

    /// Returns the link properties for those of a place in the spine (EPUB 3.3, section 8.2).
    static func linkProperties(_ properties: [String]) -> Link.Properties {
        var result = Link.Properties()
        for property in properties {
            if let page = page(property) { result.page = page }
            guard property.hasPrefix("rendition:") else { continue }
            let setting = property.dropFirst("rendition:".count).split(separator: "-", maxSplits: 1).map(String.init)
            guard setting.count == 2 else { continue }
            if setting[0] == "layout", let layout = layout(setting[1]) { result.layout = layout }
            result.values.merge(members(setting[0], setting[1]).filter { $0.key != "continuous" }) { $1 }
        }
        return result
    }

    /// Whether a property of a place in the spine is defined, or has nothing to do with renditions.
    static func isKnown(_ property: String) -> Bool {
        guard property.hasPrefix("rendition:"), page(property) == nil else { return true }
        let setting = property.dropFirst("rendition:".count).split(separator: "-", maxSplits: 1).map(String.init)
        return property == "rendition:align-x-center" || setting.count == 2 && isDefined(setting[0], setting[1])
    }

    /// Warns of an undefined value.
    static func check(_ name: String, _ value: String, _ warnings: WarningLog) {
        guard !isDefined(name, value) else { return }
        let sentence =
            "“\(value.prefix(100))” is not a value that EPUB defines for “rendition:\(name)”; it was ignored."
        warnings.warn("odd-rendition", severity: .minor, message: sentence)
    }

    private static func isDefined(_ name: String, _ value: String) -> Bool {
        name == "layout" ? layout(value) != nil : !members(name, value).isEmpty
    }

    private static func page(_ property: String) -> Link.Properties.Page? {
        switch property {
        case "page-spread-left", "rendition:page-spread-left": .left
        case "page-spread-right", "rendition:page-spread-right": .right
        case "rendition:page-spread-center": .center
        default: nil
        }
    }
}

/// The files in META-INF by which books for Apple's and Kobo's readers fixed their layout before EPUB 3 could.
struct DisplayOptions: Sendable {
    static let hrefs = [
        "META-INF/com.apple.ibooks.display-options.xml", "META-INF/com.kobobooks.display-options.xml",
    ]

    var isFixedLayout = false
    var orientation: String?

    init() {}

    /// The options for all devices come first, then those for the larger one.
    init(_ root: XMLElement) {
        let platforms = root.all("platform")
        let platform = ["*", "ipad", "iphone"].lazy.compactMap { name in
            platforms.first { $0.attribute("name") == name }
        }.first
        guard let platform = platform ?? platforms.first else { return }
        for option in platform.all("option") {
            switch (option.attribute("name"), MarkupText.trimmed(option.text)) {
            case ("fixed-layout", "true"): isFixedLayout = true
            case ("orientation-lock", "landscape-only"): orientation = "landscape"
            case ("orientation-lock", "portrait-only"): orientation = "portrait"
            case ("orientation-lock", "none"): orientation = "auto"
            default: break
            }
        }
    }
}
