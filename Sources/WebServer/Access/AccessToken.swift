import Cryptography
import FileProviderCore
import Foundation

/// What a person has to enter before something is shown.
package final class AccessToken: Sendable {
    package enum Check: Equatable, Sendable {
        case right
        case wrong
        /// Too many were wrong within a minute; this one was not compared.
        case tooMany
    }

    /// Wrong tokens within a minute.
    private static let most = 10

    private let hash: Digest
    private let now: @Sendable () -> ContinuousClock.Instant
    private let wrong = LockedValue<[ContinuousClock.Instant]>([])

    package init(_ token: String, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        hash = Digest(.sha256, of: Data(token.utf8))
        self.now = now
    }

    /// Compares `sent` with the token, in a time that says nothing about it.
    ///
    /// Tokens that arrive at the same time count one after the other, so that no more are compared than allowed.
    package func check(_ sent: String) -> Check {
        let time = now()
        let digest = Digest(.sha256, of: Data(sent.utf8))
        return wrong.update { times -> Check in
            times.removeAll { time - $0 > .seconds(60) }
            guard times.count < Self.most else { return .tooMany }
            if ConstantTime.areEqual(digest.bytes, hash.bytes) { return .right }
            times.append(time)
            return .wrong
        }
    }
}
