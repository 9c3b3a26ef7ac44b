/// A step of a guided navigation: references to be presented together, or steps below it (Readium Guided Navigation,
/// section 1.2).
///
/// References are URI references that may have a fragment, such as `audio.mp3#t=1.5,4` or `chapter.html#p1`; an address
/// inside a publication counts from its root, as those of links do.
public struct GuidedNavigationObject: Hashable, Sendable {
    /// An identifier of the step in its document.
    public var id: String?
    /// Sound, or a part of it.
    public var audioref: String?
    /// A text document, or a part of it.
    public var textref: String?
    /// An image, or a part of it.
    public var imgref: String?
    /// A video, or a part of it.
    public var videoref: String?
    /// The text itself.
    public var text: GuidedNavigationText?
    /// The roles of the step, such as `chapter` or `pagebreak`, the most specific first.
    public var role: [String]
    /// The steps below this one, in order.
    public var children: [GuidedNavigationObject]
    /// The other members, such as `description`, unchanged.
    public var otherProperties: [String: JSONValue] = [:]

    /// A step; one without a reference, a text and children says nothing (see ``isEmpty``).
    public init(
        audioref: String? = nil, textref: String? = nil, imgref: String? = nil, text: GuidedNavigationText? = nil,
        role: [String] = [],
        children: [GuidedNavigationObject] = [], id: String? = nil, videoref: String? = nil
    ) {
        self.audioref = audioref
        self.textref = textref
        self.imgref = imgref
        self.text = text
        self.role = role
        self.children = children
        self.id = id
        self.videoref = videoref
    }

    /// Whether there is nothing to present, which a document must not hold.
    public var isEmpty: Bool {
        audioref == nil && textref == nil && imgref == nil && videoref == nil && text == nil && children.isEmpty
    }

    /// Reads a step; nil if there is nothing to present. Members of the wrong kind are ignored.
    public init?(json: JSONValue) {
        self.init(
            audioref: json["audioref"]?.stringValue, textref: json["textref"]?.stringValue,
            imgref: json["imgref"]?.stringValue,
            text: json["text"].flatMap(GuidedNavigationText.init(json:)), role: json["role"]?.strings ?? [],
            children: (json["children"]?.arrayValue ?? []).compactMap(GuidedNavigationObject.init(json:)),
            id: json["id"]?.stringValue,
            videoref: json["videoref"]?.stringValue)
        if isEmpty { return nil }
        otherProperties = json.members(besides: Self.keys)
    }

    /// The step as JSON.
    public var json: JSONValue {
        let own: [String: JSONValue?] = [
            "id": id.map(JSONValue.string),
            "audioref": audioref.map(JSONValue.string),
            "textref": textref.map(JSONValue.string),
            "imgref": imgref.map(JSONValue.string),
            "videoref": videoref.map(JSONValue.string),
            "text": text?.json,
            "role": .nonEmpty(role.map(JSONValue.string)),
            "children": .nonEmpty(children.map(\.json)),
        ]
        return .object(present: own, others: otherProperties)
    }

    private static let keys: Set<String> = [
        "id", "audioref", "textref", "imgref", "videoref", "text", "role", "children",
    ]
}

/// The text of a step, to be shown or spoken (Readium Guided Navigation, text object). One of the two forms is there.
public struct GuidedNavigationText: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text without markup.
    public var plain: String?
    /// The text with directions for speech (SSML).
    public var ssml: String?
    /// The BCP 47 tag of its language.
    public var language: String?

    /// A text, as it is shown, spoken, or both.
    public init(plain: String? = nil, ssml: String? = nil, language: String? = nil) {
        self.plain = plain
        self.ssml = ssml
        self.language = language
    }

    /// A plain text in an unknown language.
    public init(stringLiteral value: String) { self.init(plain: value) }

    /// Reads a string or a text object; nil if there is no text in it.
    public init?(json: JSONValue) {
        self.init(
            plain: json.stringValue ?? json["plain"]?.stringValue, ssml: json["ssml"]?.stringValue,
            language: json["language"]?.stringValue)
        if plain ?? "" == "", ssml ?? "" == "" { return nil }
    }

    /// A string if there is a plain text only, otherwise an object.
    public var json: JSONValue {
        if let plain, ssml == nil, language == nil { return .string(plain) }
        return .object(present: [
            "plain": plain.map(JSONValue.string), "ssml": ssml.map(JSONValue.string),
            "language": language.map(JSONValue.string),
        ])
    }
}
