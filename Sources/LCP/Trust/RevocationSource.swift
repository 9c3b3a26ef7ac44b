public import Foundation

/// Where an app gets the list of revoked certificates: an X.509 CRL (RFC 5280, section 5; LCP 1.0, section 5.5).
///
/// The list must be signed by one of the roots of the ``LicenseTrust``; any other is refused.
///
/// The list in hand is requested again once it is older than ``maximumAge``, or once the time of its next issue, which
/// it names, has passed. If no newer list can be had, the list in hand is used, however old it is: the network may be
/// off, and the answer may be damaged or not signed by a root. Requests are at least 5 minutes apart while there is a
/// list. The list is kept in memory; an app that wants to keep it longer stores it in its own `data`.
public struct RevocationSource: Sendable {
    /// Returns the newest list, in DER or PEM, of at most 16 MiB in DER. Several validations may call this at once.
    public var data: @Sendable () async throws -> Data
    /// Seconds after which a list that was received is requested again.
    public var maximumAge: TimeInterval
    /// A list that the app brings with it, in DER or PEM, which is used until another one is received. Nil to refuse
    /// all licences until then.
    public var bundled: Data?

    /// A source of lists.
    ///
    /// - Parameters:
    ///   - data: Returns the newest list.
    ///   - maximumAge: Seconds after which it is requested again; a day by default.
    ///   - bundled: The list to use while `data` has none.
    public init(
        data: @escaping @Sendable () async throws -> Data, maximumAge: TimeInterval = 24 * 60 * 60,
        bundled: Data? = nil
    ) {
        self.data = data
        self.maximumAge = maximumAge
        self.bundled = bundled
    }
}
