package import FileProviderCore
package import Foundation

/// The kind of error with which reading a resource failed: the five of Readium's composite fetcher proposal, each with
/// its HTTP status.
public enum ResourceFailure: Hashable, Sendable {
    /// The request is invalid, such as a template without its arguments (400).
    case badRequest
    /// The resource doesn't exist, or is a folder (404).
    case notFound
    /// Access is denied: permission, login, or rights of a protected publication (403).
    case forbidden
    /// Unavailable at present: no connection, a busy server, a publication that was closed (503).
    case unavailable
    /// Anything else: damaged data, a limit, cancellation (500).
    case other
}

extension Error {
    /// The kind of this error of a ``Resource`` or ``Fetcher``.
    public var resourceFailure: ResourceFailure {
        switch self {
        case let error where error.isNoSuchFile || error.isFolder: .notFound
        case let error as CocoaError where error.code == .fileReadNoPermission: .forbidden
        case let error as CocoaError where error.code == .fileReadInvalidFileName && error.unusableNames == nil:
            .badRequest
        case let error as CocoaError where error.underlying is UnfilledTemplate: .badRequest
        case let error as URLError
        where error.code == .userAuthenticationRequired || error.code == .noPermissionsToReadFile: .forbidden
        case let error as URLError where error.code != .cancelled: .unavailable
        case let error where error.isTransient: .unavailable
        default: .other
        }
    }
}

extension FileError {
    /// Returns the error for a publication that was closed before the resource at `href` was read.
    package static func closedPublication(_ href: String, underlying: (any Error)? = nil) -> URLError {
        make(
            .resourceUnavailable, url: nil, sentence: "“\(href)” cannot be read: its publication was closed.",
            underlying: underlying)
    }

    /// Returns the error of a read of `href` that failed with `error` while the publication was being closed.
    ///
    /// - Returns: `error` itself if it is a cancellation or of the kind ``ResourceFailure/unavailable``;
    ///   `CancellationError` if the task is cancelled; else the closed publication, with `error` as the underlying
    ///   error.
    package static func closedPublication(_ href: String, during error: any Error) -> any Error {
        if error.isCancellation || error.resourceFailure == .unavailable { return error }
        return Task.isCancelled ? CancellationError() : closedPublication(href, underlying: error)
    }
}
