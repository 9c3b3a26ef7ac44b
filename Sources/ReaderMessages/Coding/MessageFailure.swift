public import Foundation

/// A message that could not be read.
public struct MessageFailure: LocalizedError, Hashable, Sendable {
    /// The kind of failure, which decides what a receiver does next.
    public enum Kind: String, Hashable, Sendable {
        /// The message is incomplete: the rest may still arrive, and it is read again later.
        case incomplete
        /// The message is permanently malformed.
        case malformed
        /// The message has content that no honest peer sends, or exceeds a limit: a document type, entities, unlimited
        /// sizes or depths.
        case hostile
    }

    /// The kind of failure.
    public let kind: Kind
    /// The name of the message's file.
    public let fileName: String
    /// The reason, in a sentence.
    public let reason: String

    /// Creates a failure of the message in `fileName`.
    public init(_ kind: Kind, fileName: String, reason: String) {
        self.kind = kind
        self.fileName = fileName
        self.reason = reason
    }

    /// The file and the reason.
    public var errorDescription: String? { "“\(fileName)” cannot be read: \(reason)" }
}
