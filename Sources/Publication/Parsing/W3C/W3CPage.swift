import Archives
import FileProviderCore
import Foundation
import MediaTypes
import SafeXML

/// An HTML page of a publication that leads to the others: the primary entry page, or the one with the table of
/// contents.
///
/// HTML is read as far as it is well-formed XML, too.
struct W3CPage {
    /// The address of the page below the publication's root.
    let href: String
    /// Nil if the page is not well-formed.
    private let root: XMLElement?

    private static let limits = XMLLimits(bytes: 8 << 20)

    /// Reads the page at `href`; nil if it does not exist. A page that cannot be parsed is returned all the same, with
    /// a warning.
    static func read(_ href: String, from fetcher: any Fetcher, _ warnings: WarningLog) async throws -> W3CPage? {
        do {
            return W3CPage(href: href, root: try await fetcher.xml(href, limits: limits))
        } catch let error as CocoaError where error.isNoSuchFile {
            return nil
        } catch let error as CocoaError where ContentErrors.isOne(error) {
            let sentence = "\(error.clause); the page's information about the publication was not used."
            warnings.warn("unreadable-page", severity: .moderate, message: sentence)
            return W3CPage(href: href, root: nil)
        }
    }

    private var folder: HREFBase { HREFBase.folder(of: href) }

    /// The text of the element `title`.
    var title: LocalizedString? {
        let text = MarkupText.collapsed(root?.first("head")?.first("title")?.text ?? "")
        return text.isEmpty ? nil : LocalizedString([language ?? LocalizedString.undetermined: text])
    }

    private var language: String? {
        let language =
            root?.attribute("lang") ?? root?.attribute("lang", namespace: "http://www.w3.org/XML/1998/namespace")
        return language.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The links of its table of contents; empty if it has none.
    var tableOfContents: [Link] { root.map { W3CContents(folder: folder, document: href).contents(of: $0) } ?? [] }
}

// MARK: The manifest

extension W3CPage {
    /// Returns the manifest that the page links by `rel="publication"`, in another file or in one of its scripts; else
    /// the first script with a manifest's context (Publication Manifest, section 5). Nil if there is none.
    func manifest(in asset: PublicationAsset, _ warnings: WarningLog) async throws -> (
        json: JSONValue, folder: HREFBase
    )? {
        guard let root else { return nil }
        let scripts = root.descendants("script").filter {
            $0.attribute("type").map { MediaType("application/ld+json")?.contains($0) } == true
        }
        let link = root.descendants("link").first {
            MarkupText.words($0.attribute("rel")?.lowercased()).contains("publication")
        }
        guard let address = link?.attribute("href").map(MarkupText.trimmed) else {
            let json = scripts.lazy.compactMap {
                try? JSONValue(string: $0.text, maximumSize: Manifest.defaultMaximumSize)
            }
            if let found = json.first(where: W3CContext.isPublication) { return (found, folder) }
            let sentence =
                "“\(href)” neither names nor contains a manifest; the page and those in its table of contents were used."
            warnings.warn("missing-manifest", severity: .minor, message: sentence)
            return nil
        }
        if address.hasPrefix("#") {
            let id = HREF.decoded(address.dropFirst())
            if let script = scripts.first(where: { $0.attribute("id") == id }) {
                return (try JSONValue(manifest: Data(script.text.utf8), named: href, of: asset, warnings), folder)
            }
        } else if let target = folder.resolve(address), !HREFBase.isRemote(target),
            let data = try await asset.fetcher.dataIfPresent(target, limit: Manifest.defaultMaximumSize)
        {
            return (try JSONValue(manifest: data, named: target, of: asset, warnings), HREFBase.folder(of: target))
        }
        warnings.warn(
            "missing-manifest", severity: .major,
            message: "“\(href)” names “\(address)” as its manifest, which is missing; the page itself was used.")
        return nil
    }

    /// Returns the publication of a web site without a manifest: the page, and each page of the site in its table of
    /// contents.
    func publication(titleOfLastResort: String) -> Manifest {
        var metadata = Metadata(title: title ?? LocalizedString(titleOfLastResort))
        metadata.languages = [language].compactMap(\.self)
        metadata.identifier = root.map { W3CIdentifier.urn(of: $0.text) }
        let contents = tableOfContents
        var readingOrder = [Link(href: href, mediaType: .html)]
        var seen: Set<String> = [href]
        func add(_ links: [Link]) {
            for link in links {
                let target = HREFBase.resource(of: link.href)
                let type = MediaType.byExtension(of: target)
                if !link.isRemote, !target.isEmpty, type != .binary, seen.insert(target).inserted {
                    readingOrder.append(Link(href: target, mediaType: type, title: link.title))
                }
                add(link.children)
            }
        }
        add(contents)
        return Manifest(metadata: metadata, readingOrder: readingOrder, tableOfContents: contents)
    }
}
