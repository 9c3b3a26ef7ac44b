import FileProviderCore
import Foundation
import MediaTypes

/// Leads through a publication step by step, such as with a recording of its text (Readium Guided Navigation).
public protocol GuidedNavigationService: PublicationService {
    /// The steps through the resource at `link`; nil where there are none.
    ///
    /// - Throws: Errors of the storage; `CocoaError(.fileReadCorruptFile)`.
    func guidedNavigation(for link: Link) async throws -> GuidedNavigationDocument?
}

extension PublicationServiceKey where Service == any GuidedNavigationService {
    /// Guided navigation.
    public static var guidedNavigation: Self { Self("guided-navigation") }
}

extension Publication {
    /// The steps through the resource at `link`, such as what is read aloud where; nil where the publication has none.
    ///
    /// - Throws: Errors of the storage; `CocoaError(.fileReadCorruptFile)`.
    /// - Complexity: The media overlay or guided navigation document of the resource is read once.
    public func guidedNavigation(for link: Link) async throws -> GuidedNavigationDocument? {
        try await service(.guidedNavigation)?.guidedNavigation(for: link)
    }

    /// The part of a recording in which the text at `locator` is read aloud: the step whose text is at the place or the
    /// last one before it; nil where the publication has no recording of it.
    ///
    /// - Throws: As ``guidedNavigation(for:)``; errors of the storage.
    /// - Complexity: The overlay and the resource are read.
    public func audio(for locator: Locator) async throws -> Locator? {
        let wanted = HREFBase.resource(of: locator.href)
        guard let link = readingOrder.first(where: { HREFBase.resource(of: $0.href) == wanted }),
            let document = try await guidedNavigation(for: link)
        else { return nil }
        let steps = document.guided.flatMap(\.audible).filter { HREFBase.resource(of: $0.text) == wanted }
        guard let first = steps.first else { return nil }
        let place = try await service(.locator)?.place(of: locator)?.progression ?? 0
        var best = first
        for step in steps {
            guard let id = step.text.split(separator: "#", maxSplits: 1).dropFirst().first.map(String.init) else {
                continue
            }
            let start = Locator(href: wanted, type: "", locations: Locator.Locations(fragments: [id]))
            guard let at = try await service(.locator)?.place(of: start)?.progression else { continue }
            if at > place + 1e-9 { break }
            best = step
        }
        let parts = best.audio.split(separator: "#", maxSplits: 1).map(String.init)
        let type = self.link(withHREF: parts[0])?.type ?? MediaType.binary.string
        return Locator(href: parts[0], type: type, locations: Locator.Locations(fragments: Array(parts.dropFirst())))
    }
}

extension GuidedNavigationObject {
    /// The steps below and this one that have a text and a recording of it.
    fileprivate var audible: [(text: String, audio: String)] {
        let own = textref.flatMap { text in audioref.map { (text, $0) } }
        return (own.map { [$0] } ?? []) + children.flatMap(\.audible)
    }
}

/// Documents of guided navigation among the alternates of a resource, such as those made of an EPUB's media overlays.
final class OverlayNavigation: GuidedNavigationService {
    private let context: PublicationServiceContext

    init(_ context: PublicationServiceContext) { self.context = context }

    func guidedNavigation(for link: Link) async throws -> GuidedNavigationDocument? {
        let own = context.manifest.link(withHREF: link.href) ?? link
        guard let found = own.alternates.first(where: { $0.mediaType == .guidedNavigation }) else { return nil }
        let resource = context.fetcher.get(found)
        do {
            let sink = DataSink(limit: GuidedNavigationDocument.defaultMaximumSize)
            try await resource.stream(nil, into: sink)
            await resource.close()
            return try GuidedNavigationDocument(data: sink.data)
        } catch {
            await resource.close()
            throw error
        }
    }
}
