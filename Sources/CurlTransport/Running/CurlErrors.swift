import CCurl
import FileProviderCore
public import Foundation

/// libcurl's own result, as the underlying error of a Foundation error.
public struct CurlError: Error, LocalizedError, CustomNSError, Sendable {
    /// The `CURLcode`. Source: libcurl-errors(3).
    public let code: Int
    /// libcurl's message about this transfer, or its general text for the code.
    public let text: String

    /// The domain of the bridged `NSError`.
    public static let errorDomain = "libcurl"
    /// The same as ``code``.
    public var errorCode: Int { code }
    /// Only the description, which is ``text``.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: text] }
    /// The same as ``text``; never nil.
    public var errorDescription: String? { text }
}

extension CurlError {
    /// libcurl's result as a Foundation error. Source: libcurl-errors(3).
    ///
    /// - Parameter shown: The server's certificate, if it was seen.
    static func foundationError(
        _ code: CURLcode, text: String, url: URL, trust: TrustPolicy, shown: ServerHashes? = nil
    ) -> any Error {
        let cause = CurlError(
            code: Int(code.rawValue), text: text.isEmpty ? String(cString: curl_easy_strerror(code)) : text)
        let host = url.host() ?? "the server"
        func made(_ urlCode: URLError.Code, _ sentence: String) -> URLError {
            FileError.make(urlCode, url: url, sentence: sentence, underlying: cause)
        }
        switch code {
        case CURLE_UNSUPPORTED_PROTOCOL where !["http", "https"].contains(url.scheme?.lowercased()):
            return made(.unsupportedURL, "This libcurl does not support “\(url.scheme ?? "")”.")
        case CURLE_URL_MALFORMAT: return made(.badURL, "The URL is not well-formed.")
        case CURLE_COULDNT_RESOLVE_HOST: return made(.cannotFindHost, "The host “\(host)” cannot be found.")
        case CURLE_COULDNT_RESOLVE_PROXY: return made(.cannotFindHost, "The proxy's host cannot be found.")
        case CURLE_COULDNT_CONNECT:
            return made(.cannotConnectToHost, "“\(host)” does not accept a connection\(port(of: url)).")
        case CURLE_OPERATION_TIMEDOUT: return made(.timedOut, "“\(host)” took too long to answer.")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return UntrustedServer(host: host, shown: shown, pins: trust.pins).error(url: url, cause: cause)
        case CURLE_SSL_CACERT_BADFILE:
            let file = trust.authorities.map { " “\($0)”" } ?? ""
            return made(
                .serverCertificateHasUnknownRoot,
                "The file\(file) of trusted authorities cannot be read, or is empty.")
        case CURLE_SSL_CERTPROBLEM: return made(.clientCertificateRejected, certificateSentence(trust))
        case CURLE_SSL_CONNECT_ERROR:
            return made(.secureConnectionFailed, "No secure connection to “\(host)”: \(cause.text).")
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            return made(.networkConnectionLost, "“\(host)” closed the connection before the transfer was complete.")
        case CURLE_TOO_MANY_REDIRECTS: return made(.httpTooManyRedirects, "“\(host)” redirects in a circle.")
        case CURLE_LOGIN_DENIED: return made(.userAuthenticationRequired, "“\(host)” refused the login.")
        case CURLE_BAD_CONTENT_ENCODING:
            return made(
                .badServerResponse, "“\(host)” sent a compressed body that cannot be decoded: \(cause.text).")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL:
            return made(.badServerResponse, "“\(host)” answered with something that is not HTTP.")
        default: return made(.unknown, "The transfer with “\(host)” failed: \(cause.text).")
        }
    }

    /// OpenSSL's message names neither the file nor the cause.
    private static func certificateSentence(_ trust: TrustPolicy) -> String {
        for file in [trust.clientCertificate, trust.clientKey].compactMap(\.self) where access(file, R_OK) != 0 {
            return "The client certificate's file “\(file)” cannot be read: \(String(cString: strerror(errno)))."
        }
        return
            "The client certificate “\(trust.clientCertificate ?? "")” cannot be used: it is invalid, its key is missing or wrong, "
            + "or the key's password is wrong."
    }

    private static func port(of url: URL) -> String { url.port.map { " on port \($0)" } ?? "" }
}
