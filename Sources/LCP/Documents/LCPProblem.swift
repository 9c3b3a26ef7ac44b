import FileProviderCore
public import Foundation

/// Why a protected book, its licence or its status is refused.
///
/// ``underlying`` is an error of Foundation's, or the one that a storage or a server reported.
public struct LCPProblem: LocalizedError, Sendable {
    /// The kind of problem, which decides what a caller does next.
    public enum Kind: Hashable, Sendable {
        /// The licence document is damaged, or lacks something required.
        case invalidLicense
        /// The status document is damaged, or lacks something required.
        case invalidStatus
        /// The licence needs an encryption profile that the app does not have. The value is the profile's URI.
        case unknownProfile(String)
        /// The licence uses an algorithm that its profile does not have. The value is the algorithm's URI.
        case unknownAlgorithm(String)
        /// The signature is not that of the licence.
        case invalidSignature
        /// The provider's certificate was not issued by an authority that the app trusts.
        case untrustedCertificate
        /// The provider's certificate was not valid when the licence was issued.
        case expiredCertificate
        /// The provider's certificate was revoked.
        case revokedCertificate
        /// There is no passphrase.
        case passphraseNeeded
        /// The passphrase is not that of the licence.
        case wrongPassphrase
        /// The passphrase fits, but the content key cannot be decrypted.
        case wrongContentKey
        /// The licence begins later. The value is its start.
        case notStarted(Date)
        /// The licence has ended. The value is its end.
        case expired(Date)
        /// The provider revoked the licence.
        case revoked
        /// The user returned the book.
        case returned
        /// The licence was cancelled before it was used.
        case cancelled
        /// The clock is behind the time at which the licence was last used.
        case clockSetBack
        /// No more text may be copied.
        case copyLimit
        /// No more pages may be printed.
        case printLimit
        /// The provider does not report the licence's status.
        case statusUnavailable
        /// The provider did not register the device.
        case refusedRegistration
        /// The provider did not extend the loan.
        case refusedRenewal
        /// The provider did not take the book back.
        case refusedReturn
        /// The provider offers this on a web page only. The value is the page's address.
        case needsBrowser(URL)
        /// The downloaded file is incomplete, or is not the licence's publication.
        case damagedDownload
        /// The book's package is damaged.
        case damagedPackage
        /// The licence has no usable link to its publication.
        case noPublicationLink
    }

    /// The kind of problem.
    public let kind: Kind
    /// One sentence for the user.
    public let sentence: String
    /// `CocoaError` or `URLError`, or the error of a storage or server. Its own underlying error has the cause, if any.
    public let underlying: any Error

    /// A problem of a kind.
    ///
    /// - Parameters:
    ///   - sentence: `nil` uses the default sentence for the kind.
    ///   - underlying: The cause. `CocoaError`, `URLError` and HTTP errors are kept as ``underlying``, other errors below
    ///     the default error for the kind.
    public init(_ kind: Kind, sentence: String? = nil, underlying: (any Error)? = nil) {
        let sentence = sentence ?? Self.usualSentence(kind)
        self.kind = kind
        self.sentence = sentence
        if let underlying, Self.isKept(underlying) {
            self.underlying = underlying
        } else {
            self.underlying = Self.usualError(kind, sentence, underlying)
        }
    }

    /// The sentence.
    public var errorDescription: String? { sentence }

    private static func isKept(_ error: any Error) -> Bool {
        error is CocoaError || error is URLError || error is any FileProviderHTTPError
    }

    private static func usualError(_ kind: Kind, _ sentence: String, _ cause: (any Error)?) -> any Error {
        let code: CocoaError.Code
        switch kind {
        case .statusUnavailable:
            return FileError.make(URLError.Code.resourceUnavailable, url: nil, sentence: sentence, underlying: cause)
        case .invalidLicense, .invalidStatus, .invalidSignature, .wrongContentKey, .damagedDownload, .damagedPackage,
            .noPublicationLink:
            code = .fileReadCorruptFile
        case .unknownProfile, .unknownAlgorithm, .needsBrowser: code = .featureUnsupported
        case .untrustedCertificate, .expiredCertificate, .revokedCertificate, .passphraseNeeded, .wrongPassphrase,
            .notStarted, .expired, .revoked, .returned, .cancelled, .clockSetBack, .copyLimit, .printLimit,
            .refusedRegistration, .refusedRenewal, .refusedReturn:
            code = .fileReadNoPermission
        }
        return FileError.make(code, path: "", sentence: sentence, underlying: cause)
    }

    private static func usualSentence(_ kind: Kind) -> String {
        switch kind {
        case .invalidLicense: "The licence is damaged."
        case .invalidStatus: "The provider's report on the licence's status is damaged."
        case .unknownProfile(let profile):
            "The licence needs the encryption profile “\(profile.prefix(200))”, which this app does not have."
        case .unknownAlgorithm(let algorithm):
            "The licence uses the algorithm “\(algorithm.prefix(200))”, which its encryption profile does not have."
        case .invalidSignature: "The licence's signature does not match: the licence was changed or damaged."
        case .untrustedCertificate: "The licence is signed with a certificate that this app does not trust."
        case .expiredCertificate: "The provider's certificate was not valid when the licence was issued."
        case .revokedCertificate: "The provider's certificate was revoked."
        case .passphraseNeeded: "The book needs the passphrase of its licence."
        case .wrongPassphrase: "The passphrase is not the one of the licence."
        case .wrongContentKey: "The licence's content key cannot be decrypted. Ask the provider for a new licence."
        case .notStarted(let date): "The licence begins on \(text(date))."
        case .expired(let date): "The licence ended on \(text(date))."
        case .revoked: "The provider revoked the licence."
        case .returned: "The book was returned."
        case .cancelled: "The licence was cancelled."
        case .clockSetBack:
            "The clock is behind the time at which the book was last opened. Set the clock, and try again."
        case .copyLimit: "The licence does not allow more text to be copied."
        case .printLimit: "The licence does not allow more pages to be printed."
        case .statusUnavailable: "The provider does not report the licence's status. Try again later."
        case .refusedRegistration: "The provider did not register this device."
        case .refusedRenewal: "The provider did not extend the loan."
        case .refusedReturn: "The provider did not take the book back."
        case .needsBrowser(let url):
            "The provider offers this on a web page only. Open “\(url.withoutSecrets)” in a browser."
        case .damagedDownload: "The download is not the licence's publication, or is incomplete. Download it again."
        case .damagedPackage: "The book's package is damaged."
        case .noPublicationLink: "The licence has no link to its publication."
        }
    }

    /// The date in UTC, without a fraction of a second.
    private static func text(_ date: Date) -> String { date.formatted(Date.ISO8601FormatStyle()) }
}
