import Foundation

/// Questions that callers ask of any provider's error, answered in one place.
extension Error {
    /// Whether nothing is at the path.
    public var isNoSuchFile: Bool {
        guard let error = self as? CocoaError else { return false }
        return error.code == .fileNoSuchFile || error.code == .fileReadNoSuchFile
    }

    /// Whether an item was in the way and overwriting was not requested.
    public var isFileExists: Bool { (self as? CocoaError)?.code == .fileWriteFileExists }

    /// Whether the caller, or the user, ended the operation.
    public var isCancellation: Bool {
        self is CancellationError || (self as? CocoaError)?.code == .userCancelled
            || (self as? URLError)?.code == .cancelled
    }

    /// Whether the same operation may succeed when it is tried again later: a lost connection, a time-out, a busy
    /// server.
    public var isTransient: Bool {
        switch self {
        case let error as URLError:
            [.timedOut, .networkConnectionLost, .cannotConnectToHost, .notConnectedToInternet].contains(error.code)
        case let error as any FileProviderHTTPError: error.code.isTransient
        case let error as any FileProviderFTPError: error.code.isTransient
        case let error as any FileProviderSFTPError: error.code.isTransient
        case let error as any PassingFailure: error.mayPass
        case let error as CocoaError: error.underlying?.isTransient ?? false
        case let error as POSIXError: [.EAGAIN, .EINTR, .ETIMEDOUT, .ECONNRESET].contains(error.code)
        default: false
        }
    }

    /// Whether the next item would fail the same way: cancelled, no connection, no trust, no login, no space left.
    public var concernsEveryItem: Bool {
        let ownFailures: [URLError.Code] = [
            .badServerResponse, .cannotParseResponse, .redirectToNonExistentLocation, .httpTooManyRedirects, .unknown,
        ]
        if let error = self as? URLError, !ownFailures.contains(error.code) {
            return !(error.userInfo[NSUnderlyingErrorKey] is ShortAnswer)
        }
        return isCancellation || (self as? CocoaError)?.code == .fileWriteOutOfSpace
    }

    /// Whether a storage refuses to show the item at a path, which says nothing about writing to it: a write-only
    /// folder, or a server without the method for it.
    public var refusesLook: Bool {
        if (self as? CocoaError)?.code == .fileReadNoPermission { return true }
        return [405, 501].contains((self as? any FileProviderHTTPError)?.code.rawValue)
    }

    /// One sentence that describes the error for a person, whatever its type.
    public var sentence: String {
        if self is CancellationError { return "Cancelled." }
        // Foundation on Linux loses an `errorDescription` in the conversion to `NSError` if the error has its own
        // domain.
        if let description = (self as? any LocalizedError)?.errorDescription { return description }
        return (self as NSError).localizedDescription
    }
}
