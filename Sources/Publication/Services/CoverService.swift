import FileProviderCore
import Foundation
import MediaTypes

/// Gives the cover of a publication as a picture.
public protocol CoverService: PublicationService {
    /// The cover as it is in the publication; nil where there is none.
    ///
    /// - Parameter limit: The most bytes of the image; at most 256 MiB.
    /// - Throws: As ``Publication/coverImage(limit:)``.
    func cover(limit: Int) async throws -> Publication.Cover?
}

extension PublicationServiceKey where Service == any CoverService {
    /// The cover.
    public static var cover: Self { Self("cover") }
}

/// The image behind ``Publication/findCover()``.
final class ManifestCover: CoverService {
    private static let href = "~readium/cover"
    private static let maxSize = (256 << 20) - 1
    private let context: PublicationServiceContext

    init(_ context: PublicationServiceContext) { self.context = context }

    func cover(limit: Int) async throws -> Publication.Cover? {
        let publication = try context.publication()
        guard let link = try await publication.findCover() else { return nil }
        let limit = min(max(0, limit), Self.maxSize)
        let name = link.href.removingPercentEncoding ?? link.href
        let resource = publication.get(link)
        let data: Data
        do {
            data = try await resource.read(0..<Int64(limit) + 1)
        } catch {
            await resource.close()
            throw error
        }
        await resource.close()
        guard data.count <= limit else {
            throw FileError.make(
                .fileReadTooLarge, path: name,
                sentence: "The cover “\(name)” is too large: it has more than \(limit) bytes.")
        }
        guard let type = CoverImage.mediaType(of: data.prefix(CoverImage.start), claimed: link.type) else {
            throw FileError.make(
                .fileReadCorruptFile, path: name, sentence: "The cover “\(name)” is damaged: it is no image.")
        }
        return Publication.Cover(data: data, mediaType: type)
    }

    var links: [Link] {
        guard let publication = try? context.publication(), publication.mayHaveCover else { return [] }
        return [Link(href: Self.href, type: publication.coverLink?.type, rels: ["cover"])]
    }

    /// The publication's own resource, once it is found; one that is not found where there is no cover.
    func get(_ link: Link, parameters: [String: String]) -> (any Resource)? {
        guard ServiceHREF.matches(link.href, Self.href) else { return nil }
        return MadeResource(Link(href: link.href, type: links.first?.type)) { [self] in
            guard let cover = try await cover(limit: Self.maxSize) else {
                throw FileError.make(.fileReadNoSuchFile, path: link.href)
            }
            return cover.data
        }
    }
}
