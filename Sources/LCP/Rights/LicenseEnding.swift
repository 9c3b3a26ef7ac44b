public import Foundation

/// How a provider ended a licence, as its last status document said (LSD 1.0, section 2.3).
public struct LicenseEnding: Hashable, Sendable {
    /// Servers write one moment with a fraction of a second in one document, and without it in the other.
    private static let tolerance: TimeInterval = 1

    /// Revoked, returned, cancelled or expired.
    public let status: StatusDocument.Status
    /// When the status or the licence was last changed. The ending does not concern a licence that was changed later.
    public let date: Date

    /// An ending that was kept; nil for a status that ends no licence.
    public init?(_ status: StatusDocument.Status, date: Date) {
        switch status {
        case .ready, .active: return nil
        case .revoked, .returned, .cancelled, .expired: break
        }
        self.status = status
        self.date = date
    }

    /// The ending that `document` reports; nil if the licence may be used.
    public init?(_ document: StatusDocument) {
        self.init(document.status, date: max(document.statusUpdated, document.licenseUpdated))
    }

    /// Whether `license` is the one that ended, and not a newer one.
    func concerns(_ license: LicenseDocument) -> Bool { license.date < date + Self.tolerance }

    /// Why `license` is refused.
    func problem(of license: LicenseDocument) -> LCPProblem {
        switch status {
        case .revoked: LCPProblem(.revoked)
        case .returned: LCPProblem(.returned)
        case .cancelled: LCPProblem(.cancelled)
        case .expired, .ready, .active: LCPProblem(.expired(license.rights.end ?? date))
        }
    }
}
