public import Foundation

/// Foundation's name for it, which it does not export on Linux.
private let multipleUnderlyingErrorsKey = "NSMultipleUnderlyingErrorsKey"

extension FileError {
    /// One error for several items of one operation that failed. Their errors are in `underlyingErrors` and in
    /// ``Swift/Error/itemErrors``.
    ///
    /// Its code is that of the items if they agree, else `CocoaError(.fileWriteUnknown)`.
    ///
    /// - Parameters:
    ///   - errors: One or more, each with the path of its item.
    ///   - path: The folder or item of the operation.
    public static func several(_ errors: [any Error], in path: ProviderPath, url: URL? = nil) -> CocoaError {
        let codes = Set(errors.map { ($0 as? CocoaError)?.code })
        let common = codes.count == 1 ? codes.first ?? nil : nil
        let sentence = "\(errors.count) items in “\(path)” failed; the first: \(errors.first?.sentence ?? "")"
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: sentence, NSFilePathErrorKey: path.string, multipleUnderlyingErrorsKey: errors,
        ]
        info[NSURLErrorKey] = url?.withoutSecrets
        return CocoaError(common ?? .fileWriteUnknown, userInfo: info)
    }
}

extension Error {
    /// The errors of single items if this error stands for several; empty for any other error.
    public var itemErrors: [any Error] {
        (self as? CocoaError)?.userInfo[multipleUnderlyingErrorsKey] as? [any Error] ?? []
    }
}
