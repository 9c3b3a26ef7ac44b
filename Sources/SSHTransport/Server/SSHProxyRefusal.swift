package import Foundation

/// A proxy wants a login, or another one: not to be taken for the server's refusal of a login.
package struct SSHProxyRefusal: Error {
    /// `URLError(.userAuthenticationRequired)`.
    package let error: URLError
    /// Whether another login may help.
    package let asksForLogin: Bool
}
