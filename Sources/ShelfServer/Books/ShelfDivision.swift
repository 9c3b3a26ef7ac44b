import Foundation
import MediaTypes
import Shelf

/// A way to divide the books of a shelf. The raw value is the last segment of the list's address.
enum ShelfDivision: String, CaseIterable, Sendable {
    case authors
    case series
    case subjects
    case languages
    case collections
    /// The formats of files. They have no list, only facets.
    case formats

    /// Those with a list, in the order in which the catalogue shows them.
    static let lists: [ShelfDivision] = [.authors, .series, .subjects, .languages, .collections]

    private static let english = Locale(identifier: "en")

    var facet: ShelfFacet {
        switch self {
        case .authors: .authors
        case .series: .series
        case .subjects: .subjects
        case .languages: .languages
        case .collections: .collections
        case .formats: .mediaTypes
        }
    }

    /// The parameter of an address that holds a key.
    var parameter: String {
        switch self {
        case .authors: "author"
        case .series: "series"
        case .subjects: "subject"
        case .languages: "language"
        case .collections: "collection"
        case .formats: "type"
        }
    }

    /// The title of the list.
    var title: String {
        switch self {
        case .authors: "Authors"
        case .series: "Series"
        case .subjects: "Subjects"
        case .languages: "Languages"
        case .collections: "Collections"
        case .formats: "Formats"
        }
    }

    /// The title of a facet, of which one value is chosen.
    var facetTitle: String {
        switch self {
        case .authors: "Author"
        case .series: "Series"
        case .subjects: "Subject"
        case .languages: "Language"
        case .collections: "Collection"
        case .formats: "Format"
        }
    }

    /// The title of the link that gives the choice up.
    var anyTitle: String {
        switch self {
        case .authors: "Any author"
        case .series: "Any series"
        case .subjects: "Any subject"
        case .languages: "Any language"
        case .collections: "Any collection"
        case .formats: "Any format"
        }
    }

    /// Whether a shelf has so few values that a reader can always switch between them.
    var isShort: Bool { self == .languages || self == .formats }

    /// How many of the values the shelf has; nil if it doesn't count them.
    func count(in counts: ShelfCounts) -> Int? {
        switch self {
        case .authors: counts.authors
        case .series: counts.series
        case .subjects: counts.subjects
        case .languages: counts.languages
        case .collections: counts.collections
        case .formats: nil
        }
    }

    /// The condition that `query` sets for this division.
    func set(_ key: String, in query: inout ShelfQuery) {
        switch self {
        case .authors: query.author = key
        case .series: query.series = key
        case .subjects: query.subject = key
        case .languages: query.language = key
        case .collections: query.collection = key
        case .formats: query.mediaType = key
        }
    }

    /// The name of a value for people: "English" for `en`, "EPUB" for `application/epub+zip`.
    func name(of value: FacetValue) -> String {
        switch self {
        case .languages: return Self.english.localizedString(forIdentifier: value.name) ?? value.name
        case .formats:
            // Several formats have one name: of comics, the extension tells them apart.
            return MediaType.known(value.key)?.fileExtension?.uppercased() ?? value.name
        default: return value.name
        }
    }
}
