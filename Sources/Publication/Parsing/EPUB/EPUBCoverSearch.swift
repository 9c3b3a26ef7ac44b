import FileProviderCore
import Foundation
import MediaTypes
import SafeXML

/// Searches a book for the image that an address leads to, and verifies that it is an image.
struct EPUBCoverSearch {
    private let documents: EPUBDocuments
    private let mediaType: (_ href: String) -> String
    /// The addresses that were visited already.
    private var seen: Set<String> = []
    private var pages: [String: EPUBCoverPage] = [:]

    /// The most pages that are read for one book.
    private static let maxPages = 6
    /// The most images of one page, and the most addresses in all, that are looked at.
    private static let maxImages = 4
    private static let maxAddresses = 24

    /// - Parameter mediaType: The media type of a resource, in small letters.
    init(_ documents: EPUBDocuments, mediaType: @escaping (_ href: String) -> String) {
        self.documents = documents
        self.mediaType = mediaType
    }

    /// Returns the image at `href`, or the first image of the page there.
    mutating func image(at href: String) async throws -> String? {
        let href = HREFBase.resource(of: href)
        guard seen.count < Self.maxAddresses, seen.insert(href).inserted, isInside(href) else { return nil }
        if try await isImage(href) { return href }
        guard let page = try await page(at: href) else { return nil }
        for image in page.images.prefix(Self.maxImages) {
            if try await isImage(image) { return image }
        }
        return nil
    }

    /// The image of the page at `href`, if it is the only one and the page has hardly any text.
    mutating func onlyImage(ofPageAt href: String) async throws -> String? {
        guard isInside(href) else { return nil }
        // The first page may be a drawing or a picture itself.
        if try await isImage(href) { return href }
        guard let page = try await page(at: href), page.images.count == 1, page.isPictureOnly,
            let image = page.images.first
        else {
            return nil
        }
        return try await isImage(image) ? image : nil
    }

    private func isInside(_ href: String) -> Bool {
        !HREFBase.isRemote(href) && documents.references(in: "").isThere(href)
    }

    private mutating func page(at href: String) async throws -> EPUBCoverPage? {
        if let page = pages[href] { return page }
        guard mediaType(href).contains("html") || MediaType.byExtension(of: href).isHTML, pages.count < Self.maxPages
        else { return nil }
        let root = try await documents.optionalDocument(href)
        let page = root.map { EPUBCoverPage($0, references: documents.references(in: href)) }
        pages[href] = page ?? EPUBCoverPage()
        return page
    }

    /// Whether the resource at `href` claims to be an image and begins like one.
    private func isImage(_ href: String) async throws -> Bool {
        let type = mediaType(href)
        let guess = MediaType.byExtension(of: href).string
        guard isInside(href), type.hasPrefix("image/") || guess.hasPrefix("image/") else { return false }
        let resource = documents.fetcher.get(Link(href: href))
        let head: Data
        do {
            head = try await resource.read(0..<Int64(CoverImage.start))
        } catch {
            if error.isCancellation || error.resourceFailure == .unavailable { throw error }
            return false
        }
        await resource.close()
        return CoverImage.mediaType(of: head, claimed: type.hasPrefix("image/") ? type : guess) != nil
    }
}

/// The images on one page, in their order.
struct EPUBCoverPage {
    /// Of a page that is read for its images; 256 KiB.
    static let limits = XMLLimits(bytes: 256 << 10, depth: 128, text: 64 << 10, attributes: 128, elements: 20_000)
    /// The most text of a page that shows a picture and not a chapter, in UTF-8.
    private static let maxText = 600

    /// Each once.
    private(set) var images: [String] = []
    /// Whether there is hardly any text on the page.
    private(set) var isPictureOnly = false

    /// A page that cannot be read.
    init() {}

    init(_ root: XMLElement, references: EPUBReferences) {
        collect(root, references)
        let body = root.first("body") ?? root
        isPictureOnly = MarkupText.collapsed(body.text).utf8.count <= Self.maxText
    }

    /// Collects images of HTML, of SVG, and objects that are images. The document's limits bound the depth.
    private mutating func collect(_ element: XMLElement, _ references: EPUBReferences) {
        let address =
            switch element.name.lowercased() {
            case "img": element.attribute("src") ?? Self.first(of: element.attribute("srcset"))
            case "image":
                element.attribute("href", namespace: "http://www.w3.org/1999/xlink") ?? element.attribute("href")
            case "object": element.attribute("data")
            case "embed": element.attribute("src")
            default: String?.none
            }
        if let address, let href = references.resolve(address).map(HREFBase.resource), !images.contains(href),
            images.count < 100
        {
            images.append(href)
        }
        for case .element(let child) in element.nodes { collect(child, references) }
    }

    /// The first address of several, each of which a size may follow (HTML, section 4.8.4.2.1).
    private static func first(of set: String?) -> String? {
        set?.split { $0.isWhitespace || $0 == "," }.first.map { String($0) }
    }
}
