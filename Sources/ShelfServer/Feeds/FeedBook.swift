import Cryptography
import FileProviderCore
import Foundation
import OPDS
import Publication
import Shelf

/// A book of the shelf as a publication of a feed.
struct FeedBook: Sendable {
    /// The sizes of covers and of thumbnails: the longer side in pixels.
    private static let (coverSize, thumbnailSize) = (800, 240)
    /// Pages and covers are made by the server.
    private static let pictureType = "image/jpeg"

    let book: ShelfBook
    let addresses: FeedAddresses
    /// The person's place in the book, if it is known.
    let place: KeptPlace?

    /// - Parameters:
    ///   - isAlone: Whether it is a separate document, with all metadata, instead of an entry in a feed.
    ///   - names: Links the book's names to their other books.
    func publication(isAlone: Bool = false, names: inout NameLinks) -> FeedPublication {
        var metadata = makeMetadata(isAlone: isAlone)
        var links = makeLinks(isAlone: isAlone)
        if isAlone, addresses.version == .atom { links += names.links(of: metadata) }
        names.add(to: &metadata)
        return FeedPublication(metadata: metadata, links: links, images: images)
    }

    // MARK: Links

    private func makeLinks(isAlone: Bool) -> [Link] {
        // An entry of an OPDS 1.2 feed names its full form an alternate (section 5.1.1), a publication itself.
        let isAlternate = !isAlone && addresses.version == .atom
        let own = Link(
            href: addresses.book(book), type: addresses.version.type(.book),
            rels: [isAlternate ? CatalogRelation.alternate : "self"])
        let page = Link(
            href: addresses.server + BookAddress.page(of: book), type: "text/html", rels: [CatalogRelation.alternate])
        return [own, acquisition, stream, page].compactMap(\.self)
    }

    /// The file, as it is in its storage.
    private var acquisition: Link {
        var link = Link(
            href: addresses.server + BookAddress.file(of: book), mediaType: book.mediaType,
            rels: [AcquisitionRelation.acquisition.rawValue])
        link.size = book.fileSize
        return link
    }

    /// The pages of a comic one by one (OPDS-PSE 1.1).
    private var stream: Link? {
        guard let (template, count) = BookAddress.pages(of: book), count > 0 else { return nil }
        var link = Link(href: addresses.server + template, type: Self.pictureType, rels: [CatalogRelation.pageStream])
        link.templated = true
        link.properties.pageStreaming = PageStreaming(
            count: count, lastRead: place?.page(of: count), lastReadDate: place?.modified)
        return link
    }

    private var images: [Link] {
        let sizes = [(Self.coverSize, CatalogRelation.image), (Self.thumbnailSize, CatalogRelation.thumbnail)]
        return sizes.compactMap { size, rel in
            BookAddress.cover(of: book, size: size).map {
                Link(href: addresses.server + $0, type: Self.pictureType, rels: [rel])
            }
        }
    }

    // MARK: Metadata

    private func makeMetadata(isAlone: Bool) -> Metadata {
        var metadata = book.metadata
        if metadata.title.string.allSatisfy(\.isWhitespace) { metadata.title = LocalizedString(book.path.name) }
        metadata.languages = metadata.languages.filter(Self.isLanguage)
        if !isAlone {
            metadata.accessibility = nil
            metadata.tdm = nil
            metadata.otherMetadata = [:]
        }
        switch addresses.version {
        case .atom:
            // Two files may hold the same publication, but no two entries have one id (RFC 4287, section 4.2.6).
            if let own = metadata.identifier { metadata.alternateIdentifiers.insert(AlternateIdentifier(own), at: 0) }
            metadata.identifier = book.feedIdentifier
            // The entry's own time: readers take it to find out what changed.
            metadata.modified = book.changed
        case .json:
            if metadata.identifier.map(Self.isURI) != true { metadata.identifier = book.feedIdentifier }
            metadata.alternateIdentifiers.removeAll { $0.scheme == nil && !Self.isURI($0.value) }
            metadata.modified = metadata.modified ?? book.changed
        }
        return metadata
    }

    /// Whether `text` has the form of a language tag (BCP 47, section 2.1).
    static func isLanguage(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let first = parts.first, (2...8).contains(first.count), first.allSatisfy(\.isLetter) else { return false }
        return parts.dropFirst().allSatisfy { part in
            (1...8).contains(part.count) && part.allSatisfy { $0.isLetter || $0.isDigit }
        }
    }

    /// Whether `text` has the form of a URI with a scheme (RFC 3986, section 3).
    static func isURI(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = text.utf8[..<colon]
        let rest = text.utf8[text.utf8.index(after: colon)...]
        guard let first = scheme.first, first.isLetter, !rest.isEmpty else { return false }
        let refused = Set("<>\"{}|\\^`".utf8)
        return scheme.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
            && rest.allSatisfy { (0x21...0x7E).contains($0) && !refused.contains($0) }
    }
}

extension ShelfBook {
    /// What names the book in feeds for good: a UUID of its source, its number and the time it came, which stay when its
    /// file is moved or changed (RFC 9562, section 5.8).
    var feedIdentifier: String {
        let time = Int64((added.timeIntervalSince1970 * 1_000).rounded())
        let name = "carrel shelf book\n\(source)\n\(id)\n\(time)"
        var bytes = Array(Digest(.sha256, of: Data(name.utf8)).bytes.prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
        return "urn:uuid:" + parts.joined(separator: "-")
    }
}

extension KeptPlace {
    /// The page of a comic that was read last, of `count`; the first is 1. Nil if the place doesn't say it.
    func page(of count: Int) -> Int? {
        let position = (try? JSONValue(data: locator, maximumSize: 1 << 16))?["locations"]?["position"]?.integerValue
        if let position = position.flatMap(Int.init(exactly:)), (1...count).contains(position) { return position }
        guard let progression = totalProgression, (0...1).contains(progression) else { return nil }
        // What is in front of page n is (n - 1) / count, but for the last bits.
        return min(count, Int((progression * Double(count) + 1e-6).rounded(.down)) + 1)
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
