public import Foundation

/// Creates Foundation's errors with everything that a person needs: a sentence, the path, the URL without secrets and
/// the untouched cause.
public enum FileError {
    /// Creates a file error.
    ///
    /// - Parameters:
    ///   - path: Shown to the user; stored under `NSFilePathErrorKey`.
    ///   - sentence: What happened, in one sentence; nil takes the usual one for `code`.
    ///   - underlying: The storage's own error: errno, a transport's code or a server's answer.
    public static func make(
        _ code: CocoaError.Code, path: String, url: URL? = nil, sentence: String? = nil, underlying: (any Error)? = nil
    ) -> CocoaError {
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: sentence ?? usualSentence(code, path: path), NSFilePathErrorKey: path,
        ]
        info[NSURLErrorKey] = url?.withoutSecrets
        info[NSUnderlyingErrorKey] = underlying
        return CocoaError(code, userInfo: info)
    }

    /// Creates a file error at a path.
    public static func make(
        _ code: CocoaError.Code, path: ProviderPath, url: URL? = nil, sentence: String? = nil,
        underlying: (any Error)? = nil
    ) -> CocoaError {
        make(code, path: path.string, url: url, sentence: sentence, underlying: underlying)
    }

    /// Creates a transport error: no connection, no trust, no time left.
    public static func make(_ code: URLError.Code, url: URL?, sentence: String, underlying: (any Error)? = nil)
        -> URLError
    {
        var info: [String: Any] = [NSLocalizedDescriptionKey: sentence]
        info[NSURLErrorFailingURLErrorKey] = url?.withoutSecrets
        info[NSUnderlyingErrorKey] = underlying
        return URLError(code, userInfo: info)
    }

    /// Converts an error of the C library to Foundation's. Source: errno(3).
    ///
    /// - Parameter writing: Whether the operation was to change something; Foundation has separate codes for reading
    ///   and writing.
    public static func make(errno code: Int32, path: ProviderPath, url: URL? = nil, writing: Bool) -> CocoaError {
        let cause = POSIXErrorCode(rawValue: code).map { POSIXError($0) }
        let cocoa: CocoaError.Code
        var sentence: String?
        switch code {
        case ENOENT: cocoa = writing ? .fileNoSuchFile : .fileReadNoSuchFile
        case EACCES, EPERM: cocoa = writing ? .fileWriteNoPermission : .fileReadNoPermission
        case EEXIST: cocoa = .fileWriteFileExists
        case ENOTEMPTY:
            cocoa = .fileWriteFileExists
            sentence = "“\(path)” is a folder that is not empty."
        case ENOSPC, EDQUOT: cocoa = .fileWriteOutOfSpace
        case EROFS: cocoa = .fileWriteVolumeReadOnly
        case ENAMETOOLONG:
            cocoa = .fileWriteInvalidFileName
            sentence = "The name of “\(path)” is too long for this storage."
        case EFBIG where !writing: cocoa = .fileReadTooLarge
        case ENOTDIR: return notADirectory(path, url: url, writing: writing, underlying: cause)
        case EISDIR: return isADirectory(path, url: url, writing: writing, underlying: cause)
        default:
            cocoa = writing ? .fileWriteUnknown : .fileReadUnknown
            sentence = "“\(path)”: \(String(cString: strerror(code)))."
        }
        return make(cocoa, path: path, url: url, sentence: sentence, underlying: cause)
    }

    /// An item on the way to `path`, or `path` itself, should be a folder and is not.
    public static func notADirectory(
        _ path: ProviderPath, url: URL? = nil, writing: Bool = false, underlying: (any Error)? = POSIXError(.ENOTDIR)
    ) -> CocoaError {
        make(
            writing ? .fileWriteUnknown : .fileReadUnknown, path: path, url: url,
            sentence: "“\(path)” is not a folder.",
            underlying: underlying)
    }

    /// The item at `path` is a folder, and a file was needed.
    public static func isADirectory(
        _ path: ProviderPath, url: URL? = nil, writing: Bool = false, underlying: (any Error)? = POSIXError(.EISDIR)
    ) -> CocoaError {
        make(
            writing ? .fileWriteUnknown : .fileReadUnknown, path: path, url: url, sentence: "“\(path)” is a folder.",
            underlying: underlying)
    }

    /// The provider cannot do this here, as in “WebDAV cannot move here”.
    ///
    /// - Parameters:
    ///   - operation: A verb with its object, as it follows “cannot”: `move`, `make symbolic links`.
    ///   - provider: The provider's ``FileProviderBasic/type``.
    ///   - underlying: The storage's own error.
    public static func unsupported(
        _ operation: String, by provider: String, path: ProviderPath, url: URL? = nil, underlying: (any Error)? = nil
    ) -> CocoaError {
        make(
            .featureUnsupported, path: path, url: url,
            sentence: "\(provider) cannot \(operation) here (“\(path)”).", underlying: underlying)
    }

    /// An operation without its provider's name; `what` completes "… is not possible here".
    @available(*, deprecated, message: "Name the operation and the provider: unsupported(_:by:path:url:).")
    public static func unsupported(_ what: String, path: ProviderPath, url: URL? = nil) -> CocoaError {
        make(.featureUnsupported, path: path, url: url, sentence: "\(what) is not possible here (“\(path)”).")
    }

    /// The file was replaced or changed between two reads of one reader.
    public static func changedWhileReading(_ path: ProviderPath, url: URL? = nil) -> CocoaError {
        make(
            .fileReadUnknown, path: path, url: url,
            sentence: "“\(path)” changed while it was being read; open it again.", underlying: POSIXError(.ESTALE))
    }

    /// A walk or a copy stops at this depth: a server may invent folders without end.
    public static func tooDeep(_ path: ProviderPath) -> CocoaError {
        make(
            .fileReadTooLarge, path: path,
            sentence: "“\(path)” is more than \(ProviderPath.maxTreeDepth) folders deep; such folders are not entered.")
    }

    /// A reader was used after it was closed.
    public static func closed(_ path: ProviderPath) -> CocoaError {
        make(
            .fileReadUnknown, path: path, sentence: "“\(path)” is closed; open it again.",
            underlying: POSIXError(.EBADF))
    }

    /// A one-shot source would have to be read a second time.
    public static func notRepeatable() -> CocoaError {
        make(
            .fileWriteUnknown, path: "",
            sentence: "The bytes have to be sent again, but their source can be read only once; start the write again.")
    }

    private static func usualSentence(_ code: CocoaError.Code, path: String) -> String {
        switch code {
        case .fileNoSuchFile, .fileReadNoSuchFile: "“\(path)” does not exist."
        case .fileWriteFileExists: "“\(path)” already exists."
        case .fileReadNoPermission: "“\(path)” may not be read: permission denied."
        case .fileWriteNoPermission: "“\(path)” may not be changed: permission denied."
        case .fileWriteOutOfSpace: "There is no space left for “\(path)”."
        case .fileWriteVolumeReadOnly: "“\(path)” is on a read-only storage."
        case .fileReadCorruptFile: "“\(path)” is damaged."
        case .fileReadTooLarge: "“\(path)” is too large."
        case .userCancelled: "Cancelled."
        default: "“\(path)”: the operation failed."
        }
    }
}
