public import Foundation

/// The metadata of a publication as a whole (Readium Web Publication Manifest, metadata object).
public struct Metadata: Hashable, Sendable {
    /// The URI that identifies the publication.
    public var identifier: String?
    /// Further identifiers.
    public var alternateIdentifiers: [AlternateIdentifier] = []
    /// The schema.org type (`@type`), such as `http://schema.org/Audiobook`.
    public var type: String?
    /// The addresses of the manifest profiles it conforms to.
    public var conformsTo: [String] = []
    /// The title.
    public var title: LocalizedString
    /// The subtitle.
    public var subtitle: LocalizedString?
    /// The title as it is sorted.
    public var sortAs: LocalizedString?
    /// What the publication offers to its readers and demands of them.
    public var accessibility: Accessibility?
    /// When the publication last changed.
    public var modified: Date?
    /// The date of publication. Midnight UTC means a day without a time, and is written as one.
    public var published: Date?
    /// The languages as BCP 47 tags, the main one first.
    public var languages: [String] = []
    /// The contributors by role.
    public var contributorsByRole: [ContributorRole: [Contributor]] = [:]
    /// The subjects of the publication.
    public var subjects: [Subject] = []
    /// The direction in which pages follow one another.
    public var readingProgression: ReadingProgression?
    /// The layout of its resources.
    public var layout: Layout?
    /// A description in prose; may hold HTML.
    public var description: String?
    /// The length in seconds.
    public var duration: Double?
    /// The number of pages.
    public var numberOfPages: Int?
    /// Whether it is a shortened version.
    public var abridged: Bool?
    /// Whether it may be mined for text and data.
    public var tdm: TextAndDataMining?
    /// The collections that contain it, by kind: `collection`, `series`, `journal`, `volume` and others.
    public var belongsTo: [String: [ParentCollection]] = [:]
    /// The members that have no property here, and those whose word no property knows, unchanged.
    public var otherMetadata: [String: JSONValue] = [:]

    /// Metadata with a title, the one required member.
    public init(title: LocalizedString) {
        self.title = title
    }

    /// The direction in which pages follow one another.
    public enum ReadingProgression: String, Hashable, Sendable {
        /// Left to right.
        case ltr
        /// Right to left.
        case rtl
    }

    /// How resources are laid out.
    public enum Layout: String, Hashable, Sendable {
        /// Every page has its own size.
        case fixed
        /// Text fills whatever space there is.
        case reflowable
        /// Resources follow one another without a gap.
        case scrolled
    }
}

extension Metadata {
    /// The collections it is part of.
    public var belongsToCollections: [ParentCollection] {
        get { belongsTo["collection"] ?? [] }
        set { belongsTo["collection"] = newValue.isEmpty ? nil : newValue }
    }

    /// The series it is part of.
    public var belongsToSeries: [ParentCollection] {
        get { belongsTo["series"] ?? [] }
        set { belongsTo["series"] = newValue.isEmpty ? nil : newValue }
    }
}
