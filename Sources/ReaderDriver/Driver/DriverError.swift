public import Foundation
import ReaderMessages

/// What ended an operation of the driver, where it was not the storage's own error, which is passed on as it is.
public struct DriverError: LocalizedError {
    /// What happened, which decides what a caller does next.
    public enum Kind: Hashable, Sendable {
        /// No application is in connection mode.
        case notConnected
        /// The application is in the background, or did not come back from there in time.
        case offline
        /// Another driver, or a command of one, is at work in the folder.
        case busy
        /// The application took no notice of a command in time.
        case notAcknowledged
        /// The application began and gave no sign of life for too long; how far it was, from 0 to 1.
        case stalled(lastProgress: Double)
        /// The application says that the command was not carried out.
        case commandFailed(messages: [StatusMessage])
        /// What the application reports cannot be read, however often.
        case unreadableStatus
        /// The application cannot do this, or says of itself what cannot be.
        case incompatiblePeer
        /// The list of books that the application published is damaged.
        case damagedLibrary
        /// The device has no memory left for this.
        case noSpace
        /// A name is not one that may be used.
        case pathRejected
        /// The caller, or the user of the device, ended it.
        case cancelled
        /// The connection was lost, as whoever watches it said.
        case connectionLost
        /// The device was ejected; nothing more is done with it.
        case ejected
    }

    /// What happened.
    public let kind: Kind
    /// One sentence for the user.
    public let sentence: String
    /// The cause below it, untouched.
    public let underlying: (any Error)?

    /// - Parameter sentence: Nil takes the usual one.
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
        case .incompatiblePeer: "The reader application does not offer this."
        case .damagedLibrary: "The list of books that the reader application published is damaged."
        case .noSpace: "There is not enough free memory on the device."
        case .pathRejected: "A name that the reader application gave may not be used."
        case .cancelled: "Cancelled."
        case .connectionLost: "The connection to the device was lost."
        case .ejected: "The device was ejected."
        }
    }

    private static func failure(_ messages: [StatusMessage]) -> String {
        guard let first = messages.first(where: { !$0.text.isEmpty }) else {
            return "The reader application could not do it."
        }
        return "The reader application could not do it: \(LogText.shown(first.wire, limit: 300))"
    }
}
