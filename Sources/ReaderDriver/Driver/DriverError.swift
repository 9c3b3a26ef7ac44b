public import Foundation
import ReaderMessages

/// The error that ended an operation of a driver. Errors of the storage are passed on unchanged instead.
public struct DriverError: LocalizedError {
    /// The kind of error, which decides what a caller does next.
    public enum Kind: Hashable, Sendable {
        /// No application is in connection mode.
        case notConnected
        /// The application is in the background, or did not come back from there in time.
        case offline
        /// Another driver, or its command, is using the folder.
        case busy
        /// The application did not notice a command in time.
        case notAcknowledged
        /// The application began and then gave no sign of life for too long; the value is its last progress, from 0 to
        /// 1.
        case stalled(lastProgress: Double)
        /// The application reported that it did not carry out the command.
        case commandFailed(messages: [StatusMessage])
        /// The application's report can't be read, even after repeated tries.
        case unreadableStatus
        /// The application doesn't support this, or its description is contradictory.
        case incompatiblePeer
        /// The list of books that the application published is damaged.
        case damagedLibrary
        /// The device has not enough free memory.
        case noSpace
        /// A name is not allowed.
        case pathRejected
        /// The caller or the user of the device cancelled the operation.
        case cancelled
        /// The connection was lost, as reported with ``DriverSession/connectionLost()``.
        case connectionLost
        /// The device was ejected and can't be used any more.
        case ejected
    }

    /// The kind of error.
    public let kind: Kind
    /// One sentence for the user.
    public let sentence: String
    /// The underlying error, unchanged.
    public let underlying: (any Error)?

    /// - Parameter sentence: `nil` uses the default sentence for the kind.
    public init(_ kind: Kind, sentence: String? = nil, underlying: (any Error)? = nil) {
        self.kind = kind
        self.sentence = sentence ?? Self.usualSentence(kind)
        self.underlying = underlying
    }

    /// The sentence.
    public var errorDescription: String? { sentence }

    private static func usualSentence(_ kind: Kind) -> String {
        switch kind {
        case .notConnected: "No reader application is in its connection mode. Turn the mode on in the application."
        case .offline: "The reader application is in the background. Bring it to the front and try again."
        case .busy: "Another program is sending commands to the reader application. Try again when it is done."
        case .notAcknowledged:
            "The reader application did not take the command. Make sure that it is open on the device."
        case .stalled(let progress): "The reader application stopped answering at \(Int(progress * 100)) percent."
        case .commandFailed(let messages): failure(messages)
        case .unreadableStatus: "The reader application's report “\(CommandStatus.fileName)” cannot be read."
        case .incompatiblePeer: "The reader application does not support this."
        case .damagedLibrary: "The list of books that the reader application published is damaged."
        case .noSpace: "There is not enough free memory on the device."
        case .pathRejected: "The reader application gave a name that is not allowed."
        case .cancelled: "Cancelled."
        case .connectionLost: "The connection to the device was lost. Connect it and try again."
        case .ejected: "The device was ejected. Connect it again."
        }
    }

    private static func failure(_ messages: [StatusMessage]) -> String {
        guard let first = messages.first(where: { !$0.text.isEmpty }) else {
            return "The reader application could not carry out the command."
        }
        return "The reader application could not carry out the command: \(LogText.shown(first.wire, limit: 300))"
    }
}
