import FileProviderCore
import Foundation

/// Access to a publication's resources by link (Readium's composite fetcher proposal). Fetchers form a tree; leaves do
/// the reading.
public protocol Fetcher: AnyObject, Sendable {
    /// The resources that the medium lists, in its own order if it has one, else sorted by href. Resources that are not
    /// listed may be readable, too.
    ///
    /// - Complexity: A listing of the medium, at the first call.
    func links() async throws -> [Link]

    /// Returns a proxy to the resource at `link`. The resource may not exist; the first read shows that.
    func get(_ link: Link) -> any Resource

    /// Releases what the fetcher and those below it hold.
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

    /// Returns this fetcher, or the first one below it, that is of type `type`. Searches depth first.
    public func first<Wanted: Fetcher>(of type: Wanted.Type) -> Wanted? {
        if let wanted = self as? Wanted { return wanted }
        for (_, fetcher) in children { if let wanted = fetcher.first(of: type) { return wanted } }
        return nil
    }

    /// The fetcher and those below it, one per line, for debugging: `RoutingFetcher` and, indented,
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

    /// Returns a resource whose every access throws `CocoaError(.fileReadNoSuchFile)`.
    public func get(_ link: Link) -> any Resource {
        FailureResource(link, error: FileError.make(.fileReadNoSuchFile, path: link.href))
    }
}
