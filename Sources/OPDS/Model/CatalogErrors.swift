import FileProviderCore
import Foundation

/// The errors for documents of catalogues.
extension CocoaError {
    /// Returns the error for a document that is no document of a catalogue, or not the expected one.
    static func noCatalog(_ sentence: String, url: URL? = nil, cause: (any Error)? = nil) -> CocoaError {
        catalog(.fileReadCorruptFile, sentence, url: url, cause: cause)
    }

    /// Returns the error for a document over one of the ``CatalogLimits``.
    static func catalogTooLarge(_ sentence: String, url: URL? = nil) -> CocoaError {
        catalog(.fileReadTooLarge, sentence, url: url, cause: nil)
    }

    private static func catalog(
        _ code: CocoaError.Code, _ sentence: String, url: URL?, cause: (any Error)?
    ) -> CocoaError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: sentence]
        info[NSURLErrorKey] = url?.withoutSecrets
        info[NSUnderlyingErrorKey] = cause
        return CocoaError(code, userInfo: info)
    }
}
