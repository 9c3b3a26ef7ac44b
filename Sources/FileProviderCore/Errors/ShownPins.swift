package import Foundation

private let shownPinsKey = "CarrelShownPins"

extension URLError {
    /// This error with the pins that the server has shown.
    package func showing(_ pins: [ServerPin]) -> URLError {
        URLError(code, userInfo: userInfo.merging([shownPinsKey: pins]) { $1 })
    }
}

extension Error {
    /// The pins of the key and of the certificate that an untrusted TLS server has shown. An app shows them to its user
    /// to compare, and then adds one to ``TrustPolicy/pins``. Empty for any other error, and if TLS is not OpenSSL's.
    public var shownPins: [ServerPin] { (self as? URLError)?.userInfo[shownPinsKey] as? [ServerPin] ?? [] }
}
