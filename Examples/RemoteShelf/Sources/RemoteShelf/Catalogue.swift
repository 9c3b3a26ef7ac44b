import Carrel
import Foundation

/// The version of a file, from a listing.
public struct FileVersion: Codable, Hashable, Sendable {
    /// Bytes.
    public var size: Int64?
    /// Seconds since the start of 1970.
    public var modified: Double?
    /// The ETag without the mark of weakness, which servers drop a moment after a change.
    public var tag: String?

    init(_ file: FileObject) {
        size = file.size
        modified = file.modifiedDate?.timeIntervalSince1970
        tag = file.entryTag.map { $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0 }
    }

    /// Whether a file of this version is known not to have changed since it was of `other`.
    func proves(unchanged other: FileVersion) -> Bool { self == other && (tag != nil || modified != nil) }
}

/// One file of the shelf: a book, or the reason why it is none.
public struct CatalogueEntry: Codable, Hashable, Sendable, CustomStringConvertible {
    /// Counted from the provider's root, in the reversible form of `ProviderPath`.
    public var path: String
    /// Of the file that the rest was read from.
    public var version: FileVersion
    /// Nil for what is no book.
    public var title: String?
    /// Nil for what is no book.
    public var authors: [String]?
    /// BCP 47 tags.
    public var languages: [String]?
    /// Such as `urn:isbn:…`.
    public var identifier: String?
    /// The format, as its content shows it.
    public var mediaType: String?
    /// The name of a file in `covers/`.
    public var cover: String?
    /// Why it is no book that can be read, in a sentence.
    public var refusal: String?

    init(_ file: FileObject) {
        path = file.path.string
        version = FileVersion(file)
    }

    /// The path, and the book or the reason.
    public var description: String {
        let authors = authors?.joined(separator: ", ") ?? ""
        return "\(path): " + (refusal ?? (title ?? "") + (authors.isEmpty ? "" : " by \(authors)"))
    }

    /// Whether the entry depends on the file's name: an extension is a hint at the format, and a name replaces a missing
    /// title.
    var dependsOnName: Bool {
        let name = path.split(separator: "/").last ?? ""
        return refusal != nil || title == String(name.lastIndex(of: ".").map { name[..<$0] } ?? name).asTitle
    }
}

/// The books of the shelf.
public struct Catalogue: Sendable {
    /// The watched folder's URL, without secrets.
    public let location: String
    /// Books and refused files.
    public private(set) var entries: [ProviderPath: CatalogueEntry] = [:]

    init(of location: String) {
        self.location = location
    }

    /// What is known of the file at `path`.
    public subscript(path: ProviderPath) -> CatalogueEntry? {
        get { entries[path] }
        set {
            entries[path] = newValue
            entries[path]?.path = path.string
        }
    }

    /// The paths of what is known at `path` and below it.
    func paths(from path: ProviderPath) -> [ProviderPath] { entries.keys.filter { $0 == path || $0.isBelow(path) } }
}

extension Catalogue {
    private struct StoredCatalogue: Codable {
        var location: String
        var books: [CatalogueEntry]
        var refused: [CatalogueEntry]
    }

    /// Reads `catalogue.json`.
    public init(json: Data) throws {
        let stored = try JSONDecoder().decode(StoredCatalogue.self, from: json)
        location = stored.location
        for entry in stored.books + stored.refused { entries[try ProviderPath(entry.path)] = entry }
    }

    /// Books and refused files, each list by path.
    func json() throws -> Data {
        let sorted = entries.sorted { $0.key < $1.key }.map(\.value)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(
            StoredCatalogue(
                location: location, books: sorted.filter { $0.refusal == nil },
                refused: sorted.filter { $0.refusal != nil }))
    }
}

extension String {
    /// One line of bearable length without what would steer a terminal: control characters and changes of direction
    /// (UAX #9).
    public var plain: String {
        let scalars = unicodeScalars.prefix(1000).map { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: "?" as Unicode.Scalar
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The same with single spaces for all white space.
    var asTitle: String { split(whereSeparator: \.isWhitespace).joined(separator: " ").plain }
}
