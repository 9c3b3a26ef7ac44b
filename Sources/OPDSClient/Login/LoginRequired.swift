import FileProviderCore
public import Foundation
public import OPDS

/// A catalogue asks for a login, and there is none that it accepts.
///
/// An app shows ``document`` to the user and calls ``CatalogClient/logIn(at:by:user:password:)``, or opens the web page of
/// another flow.
public struct LoginRequired: LocalizedError, CustomNSError, Sendable {
    /// The reason why there is no login.
    enum Reason: Sendable {
        /// The one that the underlying error states.
        case stated
        /// No user and password.
        case noCredential
        /// The catalogue refused them.
        case refused
        /// The catalogue has no flow that works without a web page.
        case noFlow
        /// The password would go to this host, which is not the catalogue's.
        case otherHost(String)
    }

    /// The address that asks for the login, without user and password.
    public let url: URL
    /// The catalogue's description of its logins; nil if it has none.
    public let document: AuthenticationDocument?
    /// The server's refusal, `URLError(.userAuthenticationRequired)`.
    public let underlying: any Error
    let reason: Reason

    /// The domain of this error as an `NSError`.
    public static let errorDomain = "OPDS"
    /// 401, the status of the server's answer.
    public var errorCode: Int { 401 }
    /// The sentence and the ``underlying`` error.
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: sentence, NSUnderlyingErrorKey: underlying]
    }
    /// One sentence with the catalogue's title and the reason; never nil.
    public var errorDescription: String? { sentence }

    private var sentence: String {
        let title = document?.title.split(whereSeparator: \.isNewline).joined(separator: " ") ?? ""
        let name = title.isEmpty ? url.host() ?? "The catalogue" : String(title.prefix(200))
        return switch reason {
        case .stated: title.isEmpty ? underlying.sentence : "“\(name)”: \(underlying.sentence)"
        case .noCredential: "“\(name)” asks for a login, and there is no user and password for it."
        case .refused: "“\(name)” refused this user and password."
        case .noFlow: "“\(name)” asks for a login in a way that needs its web page."
        case .otherHost(let host):
            "“\(name)” wants the password to be sent to “\(host)”, which is another server. Nothing was sent."
        }
    }
}
