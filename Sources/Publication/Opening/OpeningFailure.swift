import FileProviderCore
import Foundation

/// Why a publication could not be opened: the kinds of Readium's streamer proposal, for apps that handle each of them
/// differently.
public enum OpeningFailure: Hashable, Sendable {
    /// No parser opens this format (`UnsupportedFormat`).
    case unsupportedFormat
    /// There is no file or folder at the path.
    case notFound
    /// The file is damaged (`ParsingFailed`).
    case parsingFailed
    /// Permission or rights are missing.
    case forbidden
    /// Unavailable at present: no connection, a busy server.
    case unavailable
    /// A login or a passphrase was wrong (`IncorrectCredentials`).
    case incorrectCredentials
    /// The task was cancelled.
    case cancelled

    /// Sorts an error that ``Publication/open(path:of:options:)`` threw.
    public init(_ error: any Error) {
        switch error {
        case let error where error.isCancellation: self = .cancelled
        case let error as any ContentProtectionError: self = error.openingFailure
        case let error as URLError
        where [.userAuthenticationRequired, .userCancelledAuthentication].contains(error.code):
            self = .incorrectCredentials
        case let error as CocoaError where error.code == .featureUnsupported: self = .unsupportedFormat
        // A folder that is itself a book opens; this one has the place of a file of the book.
        case let error where error.isFolder: self = .parsingFailed
        default:
            switch error.resourceFailure {
            case .notFound: self = .notFound
            case .forbidden: self = .forbidden
            case .unavailable: self = .unavailable
            case .badRequest, .other: self = .parsingFailed
            }
        }
    }
}

/// An error of a ``ContentProtection`` that is not one of Foundation's, and knows how ``OpeningFailure`` sorts it.
public protocol ContentProtectionError: Error {
    /// The kind of failure that the error is when a publication is opened.
    var openingFailure: OpeningFailure { get }
}
