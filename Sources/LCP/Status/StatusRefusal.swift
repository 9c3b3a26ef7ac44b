import Foundation

/// The types of errors that the servers of licences report (LSD 1.0, sections 3.3 to 3.5).
enum StatusRefusal: String {
    case registration
    case returning = "return"
    case returnedAlready = "return/already"
    case endedAlready = "return/expired"
    case renewal = "renew"
    case renewalDate = "renew/date"
    case server

    /// - Parameter type: The member `type` of a problem (RFC 9457); nil is returned for one of another specification.
    init?(type: String) {
        guard let prefix = type.range(of: "://readium.org/license-status-document/error/") else { return nil }
        self.init(rawValue: String(type[prefix.upperBound...]))
    }

    /// The problem with its sentence, without the server's words.
    ///
    /// - Parameter now: When the licence ended at the latest, if it does not say so.
    func problem(of license: LicenseDocument, at now: Date) -> LCPProblem {
        switch self {
        case .registration: LCPProblem(.refusedRegistration)
        case .returning: LCPProblem(.refusedReturn)
        case .returnedAlready: LCPProblem(.returned, sentence: "The book was returned before.")
        case .endedAlready:
            LCPProblem(
                .expired(license.rights.end ?? now),
                sentence: "The loan has ended already, so there is nothing to return.")
        case .renewal: LCPProblem(.refusedRenewal)
        case .renewalDate:
            LCPProblem(.refusedRenewal, sentence: "The provider does not extend the loan to that date.")
        case .server:
            LCPProblem(.statusUnavailable, sentence: "The provider's server has a fault. Try again later.")
        }
    }
}
