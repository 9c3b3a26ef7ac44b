public import Foundation

/// A message that could not be read.
public struct MessageFailure: LocalizedError, Hashable, Sendable {
    /// What is wrong with it, which decides what comes next.
    public enum Kind: String, Hashable, Sendable {
        /// It ends too early: it may still be on its way and is read again later.
        case incomplete
        /// It will never be right.
        case malformed
        /// It has what no honest peer sends, or goes over a limit: a document type, entities, sizes and depths without
        /// end.
        case hostile
    }

    /// What is wrong with it.
    public let kind: Kind
    /// The file that it came in.
    public let fileName: String
    /// A sentence about it.
    public let reason: String

    /// A failure of the message in `fileName`.
    public init(_ kind: Kind, fileName: String, reason: String) {
        self.kind = kind
        self.fileName = fileName
        self.reason = reason
    }

    /// The file and the reason.
    public var errorDescription: String? { "“\(fileName)” cannot be read: \(reason)" }
}
