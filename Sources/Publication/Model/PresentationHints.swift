/// Hints on how to show content, given by a publication for all its resources and by a link for one (Readium Web
/// Publication Manifest, presentation module). A link's hint wins.
public protocol PresentationHints {
    /// The hint called `name`, nil if there is none. Setting nil removes it.
    subscript(name: String) -> JSONValue? { get set }
}

/// How a device should be held.
public enum PresentationOrientation: String, Hashable, Sendable {
    /// As the reader likes.
    case auto
    /// Wider than high.
    case landscape
    /// Higher than wide.
    case portrait
}

/// When two pages are shown side by side.
public enum PresentationSpread: String, Hashable, Sendable {
    /// As the reading app likes.
    case auto
    /// However the device is held.
    case both
    /// Not at all.
    case never = "none"
    /// While the device is wider than high.
    case landscape
}

/// How content that is larger than the screen is shown.
public enum PresentationOverflow: String, Hashable, Sendable {
    /// As the reading app likes.
    case auto
    /// It is cut into pages.
    case paginated
    /// It is scrolled.
    case scrolled
}

/// How content is made to fit the screen.
public enum PresentationFit: String, Hashable, Sendable {
    /// All of it is on the screen.
    case contain
    /// It fills the screen.
    case cover
    /// It is as wide as the screen.
    case width
    /// It is as high as the screen.
    case height
}

extension PresentationHints {
    /// How the device should be held (`orientation`); nil without a known value.
    public var orientation: PresentationOrientation? {
        get { self["orientation"]?.stringValue.flatMap(PresentationOrientation.init(rawValue:)) }
        set { self["orientation"] = newValue.map { .string($0.rawValue) } }
    }

    /// When pages are shown side by side (`spread`); nil without a known value.
    public var spread: PresentationSpread? {
        get { self["spread"]?.stringValue.flatMap(PresentationSpread.init(rawValue:)) }
        set { self["spread"] = newValue.map { .string($0.rawValue) } }
    }

    /// How content that is larger than the screen is shown (`overflow`); nil without a known value.
    public var overflow: PresentationOverflow? {
        get { self["overflow"]?.stringValue.flatMap(PresentationOverflow.init(rawValue:)) }
        set { self["overflow"] = newValue.map { .string($0.rawValue) } }
    }

    /// How content is made to fit (`fit`); nil without a known value.
    public var fit: PresentationFit? {
        get { self["fit"]?.stringValue.flatMap(PresentationFit.init(rawValue:)) }
        set { self["fit"] = newValue.map { .string($0.rawValue) } }
    }

    /// Whether content beyond the screen is cut off (`clipped`); nil if not specified.
    public var isClipped: Bool? {
        get { self["clipped"]?.boolValue }
        set { self["clipped"] = newValue.map(JSONValue.bool) }
    }
}

extension Link.Properties: PresentationHints {}

/// The hints for a whole publication: the `presentation` object that older manifests have, and those made from EPUB.
public struct Presentation: PresentationHints, Hashable, Sendable {
    /// The hints by name.
    public var values: [String: JSONValue]

    /// Hints by name.
    public init(_ values: [String: JSONValue] = [:]) {
        self.values = values
    }

    /// The hint called `name`, nil if there is none. Setting nil removes it.
    public subscript(name: String) -> JSONValue? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Whether resources follow one another without a gap (`continuous`); nil if not specified.
    public var isContinuous: Bool? {
        get { self["continuous"]?.boolValue }
        set { self["continuous"] = newValue.map(JSONValue.bool) }
    }
}

extension Metadata {
    /// The hints for the whole publication; stored in ``otherMetadata`` under `presentation`.
    public var presentation: Presentation {
        get { Presentation(otherMetadata["presentation"]?.objectValue ?? [:]) }
        set { otherMetadata["presentation"] = newValue.values.isEmpty ? nil : .object(newValue.values) }
    }
}
