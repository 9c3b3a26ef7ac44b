package import Foundation

private let shownPinsKey = "CarrelShownPins"

extension URLError {
    /// This error with what the server has shown.
    package func showing(_ pins: [ServerPin]) -> URLError {
        URLError(code, userInfo: userInfo.merging([shownPinsKey: pins]) { $1 })
    }
}

extension Error {
    /// The pins of the key and of the certificate that a server has shown whose TLS is not trusted: what an app offers
    /// to its user to compare, and puts into ``TrustPolicy/pins`` then. Empty for any other error, and where TLS is not
    /// OpenSSL's.
    public var shownPins: [ServerPin] { (self as? URLError)?.userInfo[shownPinsKey] as? [ServerPin] ?? [] }
}
