// Names that were changed, for apps that use them still.

/// The name that ``SniffedType`` had.
@available(*, deprecated, renamed: "SniffedType")
public typealias Sniffed = SniffedType

extension ProviderFetcher {
    /// The name that ``maxLinks`` had.
    @available(*, deprecated, renamed: "maxLinks")
    public static var mostLinks: Int { maxLinks }
}
