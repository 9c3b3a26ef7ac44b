import CCurl
import FileProviderCore
import Foundation

/// A refusal by a proxy to forward the request.
struct ProxyRefusal: Error {
    let error: URLError
    /// Whether another login may help.
    let asksForLogin: Bool

    /// Nil if the refusal was not the proxy's.
    init?(_ ending: TransferEnding, text: String, url: URL, options: ConnectionOptions, withheld: Bool) {
        let server: ProxyServer? = if case .server(let server) = options.proxy { server } else { nil }
        let cause = CurlError(code: Int(ending.code.rawValue), text: text)
        let errors = ProxyErrors(server, url: url)
        let proxyError = CURLproxycode(UInt32(clamping: ending.proxyError))
        // tinyproxy refuses a wrong login with 401, as a server would.
        if [401, 407].contains(ending.connectStatus)
            || [CURLPX_NO_AUTH, CURLPX_USER_REJECTED, CURLPX_RECV_AUTH].contains(proxyError)
        {
            self = Self.login(server, cause: cause, url: url, withheld: withheld)
        } else if ending.code == CURLE_PROXY || ending.connectStatus >= 300 {
            let status = ending.connectStatus >= 300 ? "\(ending.connectStatus)" : nil
            error = errors.refused(host: url.host() ?? "", detail: status, cause: cause)
            asksForLogin = false
        } else if ending.code == CURLE_COULDNT_RESOLVE_PROXY {
            error = errors.notFound(cause: cause)
            asksForLogin = false
        } else if let server, ending.code == CURLE_COULDNT_CONNECT,
            text.contains("\(server.origin.host) port \(server.origin.port)")
        {
            error = errors.notConnected(cause: cause)
            asksForLogin = false
        } else {
            return nil
        }
    }

    private init(error: URLError, asksForLogin: Bool) {
        self.error = error
        self.asksForLogin = asksForLogin
    }

    static func login(_ server: ProxyServer?, cause: CurlError?, url: URL, withheld: Bool) -> ProxyRefusal {
        let error = ProxyErrors(server, url: url).login(isWithheld: withheld, cause: cause)
        return ProxyRefusal(error: error, asksForLogin: true)
    }
}
