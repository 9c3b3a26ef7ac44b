import Foundation

/// Questions that callers ask of any provider's error, answered in one place.
extension Error {
    /// Whether nothing is at the path.
    public var isNoSuchFile: Bool {
        guard let error = self as? CocoaError else { return false }
        return error.code == .fileNoSuchFile || error.code == .fileReadNoSuchFile
    }

    /// Whether something was in the way and overwriting was not asked for.
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
        case let error as CocoaError: error.underlying?.isTransient ?? false
        case let error as POSIXError: [.EAGAIN, .EINTR, .ETIMEDOUT, .ECONNRESET].contains(error.code)
        default: false
        }
    }

    /// Whether the next item would meet this as well: cancelled, no connection, no trust, no way to log in, no space
    /// left.
    public var concernsEveryItem: Bool {
        let ownFailures: [URLError.Code] = [
            .badServerResponse, .cannotParseResponse, .redirectToNonExistentLocation, .httpTooManyRedirects, .unknown,
        ]
        if let error = self as? URLError, !ownFailures.contains(error.code) {
            return !(error.userInfo[NSUnderlyingErrorKey] is ShortAnswer)
        }
        return isCancellation || (self as? CocoaError)?.code == .fileWriteOutOfSpace
    }

    /// Whether a storage refuses to show what is at a path, which says nothing about writing to it: a folder that may
    /// be written and not read, a server without the method that looks.
    public var refusesLook: Bool {
        if (self as? CocoaError)?.code == .fileReadNoPermission { return true }
        return [405, 501].contains((self as? any FileProviderHTTPError)?.code.rawValue)
    }

    /// The sentence for a person, whatever the error is.
    public var sentence: String {
        if self is CancellationError { return "Cancelled." }
        // Foundation on Linux forgets an `errorDescription` on the way to `NSError` when the error has a domain of its
        // own.
        if let description = (self as? any LocalizedError)?.errorDescription { return description }
        return (self as NSError).localizedDescription
    }
}
