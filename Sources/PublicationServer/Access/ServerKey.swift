import Cryptography
import Foundation
import WebServer

/// The secret that paths are made of. They cannot be guessed, and are the same for the same secret.
struct ServerKey: Sendable {
    private let secret: Data

    /// - Parameter secret: 16 bytes or more.
    init(_ secret: Data) { self.secret = secret }

    /// Returns the path segment of the publication `identity`: 128 bits.
    func path(identity: String) -> String { segment("publication", identity) }

    /// Returns the path segment of the content behind `path`, which only those learn who present `token`.
    func grant(path: String, token: String) -> String { segment("grant", path + "\n" + token) }

    private func segment(_ purpose: String, _ text: String) -> String {
        let code = HMAC.code(of: Data("carrel \(purpose)\n\(text)".utf8), key: secret, .sha256)
        return Data(code.bytes.prefix(16)).base64URL
    }
}
