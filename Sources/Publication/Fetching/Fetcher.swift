import FileProviderCore
import Foundation

/// Access to a publication's resources by link (Readium's composite fetcher proposal). Fetchers form a tree; leaves do
/// the reading.
public protocol Fetcher: AnyObject, Sendable {
    /// The resources that the medium lists: in its own order where it has one, else sorted by href. Not all that can be
    /// asked for.
    ///
    /// - Complexity: A listing of the medium, at the first call.
    func links() async throws -> [Link]

    /// A proxy to the resource at `link`, which may not exist; reading it tells.
    func get(_ link: Link) -> any Resource

    /// Gives back what the fetcher and those below it hold.
    func close() async

    /// The fetchers below this one, with what each is for; none for a leaf.
    var children: [(label: String, fetcher: any Fetcher)] { get }
}

extension Fetcher {
    /// The resource at `href`.
    public func get(_ href: String) -> any Resource { get(Link(href: href)) }

    /// Does nothing, for fetchers that hold nothing.
    public func close() async {}

    /// None, for leaves.
    public var children: [(label: String, fetcher: any Fetcher)] { [] }

    /// This fetcher, else the first below it, that is of type `type`: a branch is searched to its end before the next one.
    public func first<Wanted: Fetcher>(of type: Wanted.Type) -> Wanted? {
        if let wanted = self as? Wanted { return wanted }
        for (_, fetcher) in children { if let wanted = fetcher.first(of: type) { return wanted } }
        return nil
    }

    /// The fetcher and those below it, a line each, for people who debug: `RoutingFetcher` and, indented,
    /// `in the publication: …`.
    public var tree: String { tree(indentation: "") }

    private func tree(indentation: String) -> String {
        let inner = indentation + "  "
        return children.reduce("\(Self.self)") { $0 + "\n\(inner)\($1.label): \($1.fetcher.tree(indentation: inner))" }
    }
}

/// A fetcher without resources.
public final class EmptyFetcher: Fetcher {
    /// The fetcher of a publication that is nothing but a manifest.
    public init() {}

    /// None, and never throws.
    public func links() async throws -> [Link] { [] }

    /// A resource of which every access throws `CocoaError(.fileReadNoSuchFile)`.
    public func get(_ link: Link) -> any Resource {
        FailureResource(link, error: FileError.make(.fileReadNoSuchFile, path: link.href))
    }
}
