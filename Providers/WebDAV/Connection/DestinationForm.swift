/// Ways to write the `Destination` of a move or copy (RFC 4918, section 10.3).
///
/// The standard form is the URL that the client uses. A proxy that terminates TLS or rewrites paths, but not this
/// header, turns it into the URL of another server.
enum DestinationForm: CaseIterable, Sendable {
    /// The URL as the client writes it.
    case url
    /// Its path alone.
    case path
    /// The URL as the server's own hrefs would have it.
    case asInHrefs
}
