import FileProviderCore
import Foundation

/// The error of a server whose certificate is not trusted, with what would trust it.
struct UntrustedServer {
    let host: String
    let shown: ServerHashes?
    let pins: [ServerPin]

    func error(url: URL, cause: CurlError) -> URLError {
        let error = FileError.make(
            .serverCertificateUntrusted, url: url, sentence: sentence(cause), underlying: cause)
        guard let shown else { return error }
        return error.showing([.publicKey(shown.publicKey), .certificate(shown.certificate)])
    }

    private func sentence(_ cause: CurlError) -> String {
        guard let shown else {
            return pins.isEmpty
                ? "The certificate of “\(host)” is not trusted: \(cause.text)."
                : "“\(host)” shows none of the pinned keys and certificates, or none can be compared here: \(cause.text)."
        }
        let (certificate, key) = (ServerPin.certificate(shown.certificate), ServerPin.publicKey(shown.publicKey))
        guard pins.isEmpty else {
            return
                "“\(host)” shows the certificate \(certificate) with the key \(key), and neither is pinned. The "
                + "connection may be intercepted, or the certificate is new: ask its administrator before you pin it."
        }
        return
            "The certificate of “\(host)” is not trusted: \(cause.text). Its SHA-256 is \(certificate); if the "
            + "server's administrator confirms it, pin its key, \(key)."
    }
}
