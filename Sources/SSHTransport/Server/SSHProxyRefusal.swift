package import Foundation

/// A proxy's request for a login, or for another one. Not a refusal by the server.
package struct SSHProxyRefusal: Error {
    /// `URLError(.userAuthenticationRequired)`.
    package let error: URLError
    /// Whether another login may help.
    package let asksForLogin: Bool
}
