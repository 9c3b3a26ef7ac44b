package import Foundation

/// The errors of a proxy on the way to a server, in the same words for libcurl and for a provider's own connection.
package struct ProxyErrors: Sendable {
    /// The subject of the sentences: the proxy's URL without its login.
    package let name: String
    private let url: URL?

    /// - Parameters:
    ///   - server: Nil for a proxy of the environment that libcurl has read.
    ///   - url: The URL of the request.
    package init(_ server: ProxyServer?, url: URL?) {
        name = server.map { "The proxy “\($0.url.absoluteString)”" } ?? "The proxy that the environment names"
        self.url = url
    }

    /// `URLError(.userAuthenticationRequired)`.
    ///
    /// - Parameter isWithheld: Whether there is a password that was not sent because it would go in clear.
    package func login(isWithheld: Bool, cause: (any Error)? = nil) -> URLError {
        let sentence =
            isWithheld
            ? "\(name) wants the password in clear over an unencrypted connection. It was not sent; allow clear passwords to send it."
            : "\(name) asks for a login, or refused the one it got."
        return FileError.make(.userAuthenticationRequired, url: url, sentence: sentence, underlying: cause)
    }

    /// `URLError(.cannotConnectToHost)`: the proxy answers, and does not reach or admit the server.
    ///
    /// - Parameter detail: The proxy's reason, such as a status.
    package func refused(host: String, detail: String?, cause: (any Error)? = nil) -> URLError {
        let reason = detail.map { " (\($0))" } ?? ""
        let sentence = "\(name) does not connect to “\(host)”\(reason)."
        return FileError.make(.cannotConnectToHost, url: url, sentence: sentence, underlying: cause)
    }

    /// `URLError(.cannotFindHost)`.
    package func notFound(cause: (any Error)? = nil) -> URLError {
        FileError.make(.cannotFindHost, url: url, sentence: "\(name) cannot be found.", underlying: cause)
    }

    /// `URLError(.cannotConnectToHost)`: no server listens at the proxy's address.
    package func notConnected(cause: (any Error)? = nil) -> URLError {
        let sentence = "\(name) does not accept a connection."
        return FileError.make(.cannotConnectToHost, url: url, sentence: sentence, underlying: cause)
    }

    /// `URLError(.timedOut)`.
    package func timedOut(host: String, cause: (any Error)? = nil) -> URLError {
        let sentence = "\(name) took too long to connect to “\(host)”."
        return FileError.make(.timedOut, url: url, sentence: sentence, underlying: cause)
    }

    /// `URLError(.networkConnectionLost)`.
    package func lost(host: String) -> URLError {
        let sentence = "\(name) closed the connection before it had connected to “\(host)”."
        return FileError.make(.networkConnectionLost, url: url, sentence: sentence)
    }

    /// `URLError(.badServerResponse)`: the server at the proxy's URL is no proxy of that scheme.
    package func notAProxy(of kind: String) -> URLError {
        FileError.make(.badServerResponse, url: url, sentence: "\(name) does not answer as \(kind).")
    }

    /// `URLError(.unsupportedURL)`.
    package func unsupported(_ reason: String) -> URLError {
        FileError.make(.unsupportedURL, url: url, sentence: "\(name) \(reason).")
    }
}
