import CSSH2
import FileProviderCore
import Foundation

/// libssh2's own result, as the underlying error of a Foundation error.
package struct SSHError: Error, LocalizedError, CustomNSError, Sendable {
    /// A `LIBSSH2_ERROR_…`. Source: libssh2.h.
    package let code: Int
    /// libssh2's message.
    package let text: String

    /// The domain of the bridged `NSError`.
    package static let errorDomain = "libssh2"
    package var errorCode: Int { code }
    package var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: text] }
    package var errorDescription: String? { text }
}

extension SSHServer {
    /// libssh2's result as a Foundation error. Source: libssh2.h.
    ///
    /// - Parameter lastWords: The server's message when it ended the connection.
    func error(_ cause: SSHError, lastWords: String? = nil) -> URLError {
        func made(_ code: URLError.Code, _ sentence: String) -> URLError {
            FileError.make(code, url: url, sentence: sentence, underlying: cause)
        }
        switch Int32(cause.code) {
        case LIBSSH2_ERROR_SOCKET_NONE, LIBSSH2_ERROR_SOCKET_SEND, LIBSSH2_ERROR_SOCKET_RECV,
            LIBSSH2_ERROR_SOCKET_DISCONNECT,
            LIBSSH2_ERROR_BAD_SOCKET, LIBSSH2_ERROR_CHANNEL_CLOSED, LIBSSH2_ERROR_CHANNEL_EOF_SENT:
            return lost(lastWords, cause)
        case LIBSSH2_ERROR_BANNER_RECV, LIBSSH2_ERROR_BANNER_SEND:
            return made(
                .networkConnectionLost, "“\(host)” ended the connection before it showed itself as an SSH server.")
        case LIBSSH2_ERROR_TIMEOUT, LIBSSH2_ERROR_SOCKET_TIMEOUT: return timedOut(cause)
        case LIBSSH2_ERROR_KEX_FAILURE, LIBSSH2_ERROR_METHOD_NONE, LIBSSH2_ERROR_METHOD_NOT_SUPPORTED:
            return made(
                .secureConnectionFailed,
                "“\(host)” and libssh2 \(SSHLibrary.version) have no safe algorithm in common; the ssh program (transport=ssh) may have one."
            )
        case LIBSSH2_ERROR_KEY_EXCHANGE_FAILURE, LIBSSH2_ERROR_HOSTKEY_INIT, LIBSSH2_ERROR_HOSTKEY_SIGN:
            return made(.secureConnectionFailed, "“\(host)” could not prove that it has its host key: \(cause.text).")
        case LIBSSH2_ERROR_INVALID_MAC, LIBSSH2_ERROR_DECRYPT, LIBSSH2_ERROR_PROTO, LIBSSH2_ERROR_OUT_OF_BOUNDARY,
            LIBSSH2_ERROR_BUFFER_TOO_SMALL, LIBSSH2_ERROR_ZLIB, LIBSSH2_ERROR_CHANNEL_WINDOW_EXCEEDED,
            LIBSSH2_ERROR_CHANNEL_PACKET_EXCEEDED:
            return made(.badServerResponse, "“\(host)” sent invalid SSH data: \(cause.text).")
        case LIBSSH2_ERROR_ALLOC:
            return made(.badServerResponse, "“\(host)” sent more than fits into memory.")
        case LIBSSH2_ERROR_PASSWORD_EXPIRED:
            return made(
                .userAuthenticationRequired, "“\(host)” requires a new password first. Log in with ssh to change it."
            )
        case LIBSSH2_ERROR_AUTHENTICATION_FAILED, LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED, LIBSSH2_ERROR_KEYFILE_AUTH_FAILED:
            return made(.userAuthenticationRequired, "“\(host)” refused the login.")
        case LIBSSH2_ERROR_CHANNEL_FAILURE, LIBSSH2_ERROR_CHANNEL_REQUEST_DENIED, LIBSSH2_ERROR_REQUEST_DENIED,
            LIBSSH2_ERROR_CHANNEL_UNKNOWN:
            return made(.resourceUnavailable, "“\(host)” refused to open the channel: \(cause.text).")
        default: return made(.unknown, "The connection to “\(host)” failed: \(cause.text).")
        }
    }

    /// The other side, or a device in between, has ended the connection.
    func lost(_ lastWords: String? = nil, _ cause: (any Error)? = nil) -> URLError {
        let sentence =
            lastWords.map { "“\(host)” ended the connection: \($0)" } ?? "The connection to “\(host)” was lost."
        return FileError.make(.networkConnectionLost, url: url, sentence: sentence, underlying: cause)
    }

    func timedOut(_ cause: (any Error)? = nil) -> URLError {
        FileError.make(.timedOut, url: url, sentence: "“\(host)” took too long to answer.", underlying: cause)
    }

    func tooMuchOutput(_ limit: Int) -> URLError {
        FileError.make(
            .dataLengthExceedsMaximum, url: url,
            sentence: "A command on “\(host)” printed more than \(limit) bytes, the limit.")
    }

    /// This side has ended the connection.
    func closed() -> URLError {
        FileError.make(.cancelled, url: url, sentence: "The connection to “\(host)” was closed.")
    }
}
