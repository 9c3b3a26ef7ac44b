import Archives
import FileProviderCore
import Foundation
import MediaTypes
import SafeXML

/// Finds the cover image of an EPUB, by the most trustworthy statement that leads to an image.
///
/// EPUB 3 has a property for it (EPUB 3.3, section 5.7.2.1), and EPUB 2, by custom, a `meta` that names an item. Books
/// without either are searched in this order: the guide (OPF 2.0.1, section 2.6); the landmarks (EPUB 3.3, section
/// 7.4.4); a `meta` with a file name, with the id of a page, or in other capitals; an item called cover; the only image
/// of the first page.
struct EPUBCover: Sendable {
    private let package: PackageDocument
    private let folder: HREFBase
    /// Without warnings: a cover that cannot be found is no fault.
    private let documents: EPUBDocuments
    private let landmarks: [Link]
    private let items: [String: PackageDocument.Item]

    /// The most `meta` that are compared with all items; 4.
    private static let maxNames = 4

    /// - Parameters:
    ///   - folder: The folder of the package document.
    ///   - landmarks: The landmarks of the navigation document, or those of the guide.
    init(_ package: PackageDocument, folder: HREFBase, landmarks: [Link], documents: EPUBDocuments) {
        self.package = package
        self.folder = folder
        self.landmarks = landmarks
        var documents = documents
        documents.warnings = WarningLog()
        documents.limits = EPUBCoverPage.limits
        self.documents = documents
        items = Dictionary(package.items.map { ($0.href, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the address of the cover image if the book does not declare one; nil if it has none.
    ///
    /// - Throws: The fetcher's errors, but not those about the book's content.
    /// - Complexity: The start of the image and, if a page leads to it, up to six pages of at most 256 KiB.
    func search() async throws -> String? {
        var search = EPUBCoverSearch(documents, mediaType: mediaType)
        for href in named {
            if let found = try await search.image(at: href) { return found }
        }
        guard let first = package.spine.first(where: \.isLinear) ?? package.spine.first else { return nil }
        return try await search.onlyImage(ofPageAt: package.items[first.item].href)
    }

    /// Adds the relation `cover` to the link with that address.
    static func mark(_ href: String?, _ readingOrder: inout [Link], _ resources: inout [Link]) {
        guard let href else { return }
        if let index = readingOrder.firstIndex(where: { $0.href == href }) {
            readingOrder[index].rels.append("cover")
        } else if let index = resources.firstIndex(where: { $0.href == href }) {
            resources[index].rels.append("cover")
        }
    }

    /// Returns the media type that the manifest declares for the resource at `href`, else that of its name.
    private func mediaType(_ href: String) -> String {
        (items[href]?.mediaType ?? MediaType.byExtension(of: href).string).lowercased()
    }

    /// The image that the property or an exact `meta` declares. Not verified by reading it.
    var declared: String? {
        let isImage = { (item: PackageDocument.Item) in mediaType(item.href).hasPrefix("image/") }
        if let item = package.items.first(where: { $0.properties.contains("cover-image") && isImage($0) }) {
            return item.href
        }
        return package.metadata.legacyValue("cover").flatMap(package.item(id:)).flatMap { isImage($0) ? $0.href : nil }
    }

    /// The addresses of possible covers or pages with one, the most trustworthy first.
    private var named: [String] {
        var hrefs = package.items.filter { $0.properties.contains("cover-image") }.map(\.href)
        hrefs += package.guide.filter { EPUBCoverName.isType($0.type) }.map(\.href)
        hrefs += landmarks.filter { $0.rels.contains(where: EPUBCoverName.isType) }.map(\.href)
        let names = package.metadata.legacyValues(inAnyCase: "cover").prefix(Self.maxNames)
        hrefs += names.flatMap(byFileName)
        hrefs += names.compactMap { package.item(id: $0)?.href }
        hrefs += names.flatMap { name in package.items.filter { $0.id?.lowercased() == name.lowercased() }.map(\.href) }
        let called = package.items.filter {
            EPUBCoverName.isCover($0.id) || EPUBCoverName.isCover(EPUBCoverName.fileName($0.href))
        }
        let images = called.filter { mediaType($0.href).hasPrefix("image/") }.map(\.href)
        let similar = package.items.filter { mediaType($0.href).hasPrefix("image/") && EPUBCoverName.isLikeCover($0) }
            .map(\.href)
        return hrefs + images + called.map(\.href) + similar
    }

    /// Items at the address `name`, else with this file name in any folder and case.
    private func byFileName(_ name: String) -> [String] {
        let there = folder.resolve(name).flatMap { items[$0]?.href }
        let file = EPUBCoverName.fileName(name).lowercased()
        let others =
            file.contains(".")
            ? package.items.map(\.href).filter { EPUBCoverName.fileName($0).lowercased() == file } : []
        return [there].compactMap(\.self) + others
    }
}

/// The usual names of covers.
enum EPUBCoverName {
    private static let names: Set<String> = [
        "cover", "coverimage", "coverimg", "coverpage", "coverpic", "coverpicture", "coverart", "frontcover",
        "bookcover", "imgcover",
        "imagecover",
    ]

    /// The last part of an address, decoded.
    static func fileName(_ href: String) -> String {
        let path = href.prefix { $0 != "#" && $0 != "?" }
        return HREF.decoded(path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? "")
    }

    /// Whether a type of the guide, or of a landmark, means the cover: `cover`, and variants of tools, such as
    /// `other.ms-coverimage-standard`.
    static func isType(_ type: String) -> Bool {
        let type = type.lowercased()
        return type.contains("cover") && !["back", "thumb"].contains(where: type.contains)
    }

    /// Whether an id or a file name is usual for covers, with or without an extension: `cover`, `Cover-Image.jpg`.
    static func isCover(_ name: String?) -> Bool { name.map { names.contains(letters($0)) } ?? false }

    /// Whether `cover` is a word of the item's id or file name: `9780000000000_cover.jpg`.
    static func isLikeCover(_ item: PackageDocument.Item) -> Bool {
        let words = [item.id ?? "", fileName(item.href)].flatMap { $0.lowercased().split { !$0.isLetter } }
        return words.contains("cover")
            && !words.contains { ["back", "rear", "inside", "inner", "thumb", "thumbnail"].contains($0) }
    }

    private static func letters(_ name: String) -> String {
        let stem = name.contains(".") ? name.split(separator: ".").dropLast().joined(separator: ".") : name
        return (stem.isEmpty ? name : stem).lowercased().filter(\.isLetter)
    }
}
