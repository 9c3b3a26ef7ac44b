/// Ways to write the `Destination` of a move or copy (RFC 4918, section 10.3).
///
/// The standard's own is the URL that this side uses. A proxy that ends TLS or moves paths, and leaves this header as
/// it is, makes another server's URL of it.
enum DestinationForm: CaseIterable, Sendable {
    /// The URL as this side writes it.
    case url
    /// Its path alone.
    case path
    /// The URL as the server's own hrefs would have it.
    case asInHrefs
}
