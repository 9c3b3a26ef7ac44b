import Foundation

/// The three reasons to refuse a document, each as a Foundation error with one sentence.
enum XMLErrors {
    /// The document breaks the rules of XML. `line` counts from 1.
    static func malformed(line: Int, reason: String) -> CocoaError {
        make(.fileReadCorruptFile, "This is not well-formed XML at line \(line): \(reason).")
    }

    /// The document exceeds one of the limits; `what` completes "The XML has …".
    static func tooLarge(line: Int, _ what: String) -> CocoaError {
        make(.fileReadTooLarge, "The XML has \(what) (line \(line)).")
    }

    /// The document uses an entity other than those of XML and HTML 4.
    static func entity(_ name: String, line: Int) -> CocoaError {
        make(
            .fileReadCorruptFile, "The XML declares or uses the entity “\(name)”, which is not expanded (line \(line))."
        )
    }

    static func make(_ code: CocoaError.Code, _ sentence: String) -> CocoaError {
        CocoaError(code, userInfo: [NSLocalizedDescriptionKey: sentence])
    }
}
