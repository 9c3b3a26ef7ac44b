import CCurl

/// What libcurl tells about a transfer at its end.
struct TransferEnding {
    var code: CURLcode
    /// CURLINFO_HTTPAUTH_AVAIL(3).
    var offered = 0
    /// The status with which a proxy answered `CONNECT`. Source: CURLINFO_HTTP_CONNECTCODE(3).
    var connectStatus = 0
    /// CURLINFO_PROXY_ERROR(3).
    var proxyError = 0
    var challengeIsNew = false

    /// A transfer that libcurl never had, or has no word on.
    init(_ code: CURLcode) {
        self.code = code
    }

    /// - Parameter easy: The handle, before it is used again.
    init(_ code: CURLcode, of easy: UnsafeMutableRawPointer) {
        self.code = code
        offered = Int(carrel_get_long(easy, CURLINFO_HTTPAUTH_AVAIL))
        connectStatus = Int(carrel_get_long(easy, CURLINFO_HTTP_CONNECTCODE))
        proxyError = Int(carrel_get_long(easy, CURLINFO_PROXY_ERROR))
    }
}
