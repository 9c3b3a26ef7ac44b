import FileProviderCore
import Foundation

/// Why a publication could not be opened: the kinds of Readium's streamer proposal, for apps that answer each in its own way.
public enum OpeningFailure: Hashable, Sendable {
    /// A format that nobody here can open (`UnsupportedFormat`).
    case unsupportedFormat
    /// Nothing is there.
    case notFound
    /// It is damaged (`ParsingFailed`).
    case parsingFailed
    /// Permission or rights are missing.
    case forbidden
    /// Not now: no connection, a busy server.
    case unavailable
    /// A login or a passphrase was wrong (`IncorrectCredentials`).
    case incorrectCredentials
    /// Somebody cancelled it.
    case cancelled

    /// Sorts an error that ``Publication/open(path:of:options:)`` threw.
    public init(_ error: any Error) {
        // What an app's own parser let through from a resource.
        let error = (error as? ResourceError)?.cause ?? error
        if error.isCancellation {
            self = .cancelled
            return
        }
        if let error = error as? URLError, [.userAuthenticationRequired, .userCancelledAuthentication].contains(error.code) {
            self = .incorrectCredentials
            return
        }
        if let error = error as? CocoaError, error.code == .featureUnsupported {
            self = .unsupportedFormat
            return
        }
        switch ResourceError(error) {
        case .notFound: self = .notFound
        case .forbidden: self = .forbidden
        case .unavailable: self = .unavailable
        case .badRequest, .other: self = .parsingFailed
        }
    }
}
