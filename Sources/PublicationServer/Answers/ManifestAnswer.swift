import FileProviderCore
import Foundation
import Logging
import MediaTypes
import Publication
import WebServer

/// Answers with the publication's manifest as it is for clients of this server.
///
/// Addresses inside the publication stay as they are, relative to the manifest's own; `?absolute` makes them absolute.
/// Resources on the web get addresses of this server, which reads them as the publication does. Added are the address of
/// the manifest (`self`), the links of services, the cover that is found by a search, and the contents that the
/// publication reads from elsewhere.
enum ManifestAnswer {
    static let name = "manifest.json"

    static func make(for request: ServerRequest, _ context: AnswerContext) async -> ServerResponse {
        let isAbsolute = RequestQuery(request.query).has("absolute")
        let manifest = await served(context, isAbsolute: isAbsolute)
        var answer = MadeAnswer.make(
            manifest.json.data, type: mediaType(context.publication).string, fields: ContentPolicy.service(),
            for: request)
        CrossOrigin.open(&answer, for: request, context)
        return answer
    }

    /// By the publication's profile.
    private static func mediaType(_ publication: Publication) -> MediaType {
        if publication.conforms(to: .audiobook) { return .readiumAudiobookManifest }
        return publication.conforms(to: .divina) ? .divinaManifest : .readiumWebPubManifest
    }

    // MARK: Changes

    private static func served(_ context: AnswerContext, isAbsolute: Bool) async -> Manifest {
        let publication = context.publication
        var manifest = publication.manifest.packaged()
        manifest.tableOfContents = await PublicationFacts.contents(context)
        if let cover = await PublicationFacts.cover(context) { manifest.addCover(cover) }
        let services = publication.serviceLinks
        let known = Set(services.map(\.href))
        manifest.links = manifest.links.filter { !known.contains($0.href) } + services

        let writer = AddressWriter(served: context.served.links, prefix: isAbsolute ? context.address : "")
        manifest.links = writer.links(manifest.links)
        manifest.readingOrder = writer.links(manifest.readingOrder)
        manifest.resources = writer.links(manifest.resources)
        manifest.tableOfContents = writer.links(manifest.tableOfContents)
        manifest.subcollections = writer.collections(manifest.subcollections)
        let own = Link(href: context.address + name, mediaType: mediaType(publication), rels: ["self"])
        manifest.links.insert(own, at: 0)
        return manifest
    }
}

/// What a publication may have to read before it is shown. An error leaves out what could not be read: the publication
/// can be read without it.
enum PublicationFacts {
    static func contents(_ context: AnswerContext) async -> [Link] {
        do { return try await context.publication.contents() } catch {
            log("The table of contents could not be read.", error, context)
            return context.publication.tableOfContents
        }
    }

    static func cover(_ context: AnswerContext) async -> Link? {
        do { return try await context.publication.findCover() } catch {
            log("The cover could not be looked for.", error, context)
            return nil
        }
    }

    private static func log(_ sentence: String, _ error: any Error, _ context: AnswerContext) {
        context.logger?.warning(
            "\(sentence)", metadata: ["error": "\(LogText.shown(error.sentence))"])
    }
}

extension Manifest {
    /// Gives the link of the cover its relation.
    fileprivate mutating func addCover(_ cover: Link) {
        if link(withRel: "cover") != nil { return }
        if let index = resources.indexOfFirstWithHREF(cover.href) {
            resources[index].rels.append("cover")
        } else if let index = readingOrder.indexOfFirstWithHREF(cover.href) {
            readingOrder[index].rels.append("cover")
        } else {
            var cover = cover
            if !cover.rels.contains("cover") { cover.rels.append("cover") }
            resources.append(cover)
        }
    }
}

/// Writes the addresses of links for clients.
private struct AddressWriter {
    let served: ServedLinks
    /// In front of addresses of this server; empty to leave them relative.
    let prefix: String

    func links(_ links: [Link]) -> [Link] {
        links.map { link in
            var link = link
            if !(link.templated && link.isRemote), let address = served.address(of: link.href) {
                link.href = prefix + address
            }
            link.alternates = self.links(link.alternates)
            link.children = self.links(link.children)
            return link
        }
    }

    func collections(_ collections: [String: [PublicationCollection]]) -> [String: [PublicationCollection]] {
        collections.mapValues { collections in
            collections.map { collection in
                var collection = collection
                collection.links = links(collection.links)
                collection.subcollections = self.collections(collection.subcollections)
                return collection
            }
        }
    }
}
