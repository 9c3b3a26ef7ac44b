/// Changes a resource before it is returned, or returns it unchanged if the change doesn't apply
/// (`Resource.Transformer` of Readium's proposal): decryption, deobfuscation, injected style sheets.
public typealias ResourceTransformer = @Sendable (_ resource: any Resource) -> any Resource

/// Resources of another fetcher, changed by transformers one after the other (Readium's composite fetcher proposal).
public final class TransformingFetcher: Fetcher, PrefetchingFetcher {
    private let base: any Fetcher
    private let transformers: [ResourceTransformer]
    private let label: String

    /// - Parameters:
    ///   - label: What the transformation is called in ``Fetcher/tree``.
    ///   - transformers: Applied in this order.
    public init(_ base: any Fetcher, label: String = "transformed", transformers: [ResourceTransformer]) {
        self.base = base
        self.label = label
        self.transformers = transformers
    }

    /// With one transformer.
    public convenience init(
        _ base: any Fetcher, label: String = "transformed", transformer: @escaping ResourceTransformer
    ) {
        self.init(base, label: label, transformers: [transformer])
    }

    /// Returns the base's links, unchanged.
    public func links() async throws -> [Link] { try await base.links() }

    /// Returns the base's resource, changed by all transformers.
    public func get(_ link: Link) -> any Resource { transformers.reduce(base.get(link)) { $1($0) } }

    package func prefetch(hrefs: [String]) async throws {
        try await (base as? any PrefetchingFetcher)?.prefetch(hrefs: hrefs)
    }

    /// Closes the base.
    public func close() async { await base.close() }

    /// The base, under the label.
    public var children: [(label: String, fetcher: any Fetcher)] { [(label, base)] }
}
