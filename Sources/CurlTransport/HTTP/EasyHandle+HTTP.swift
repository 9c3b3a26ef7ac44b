import CCurl
import FileProviderCore
import Foundation

extension EasyHandle {
    /// Sets the options of HTTP. Returns the header list, which must live as long as the transfer.
    func configure(for request: TransferRequest, options: ConnectionOptions) -> [UnsafeMutablePointer<curl_slist>] {
        string(CURLOPT_PROTOCOLS_STR, "http,https")
        long(CURLOPT_FOLLOWLOCATION, 0)
        long(CURLOPT_HTTP_VERSION, carrel_HTTP_2TLS)
        // Waits for a connection that many requests can share instead of opening one for each.
        long(CURLOPT_PIPEWAIT, request.url.scheme == "https" ? 1 : 0)
        // A request that must not be sent twice doesn't use a connection that the server may be about to close: many
        // servers close after five idle seconds.
        long(CURLOPT_MAXAGE_CONN, request.mayBeSentTwice ? 118 : 2)
        let trust = options.trust
        string(CURLOPT_SSLCERT, request.showsClientCertificate ? trust.clientCertificate : nil)
        string(CURLOPT_SSLKEY, request.showsClientCertificate ? trust.clientKey ?? trust.clientCertificate : nil)
        // If the request has its own header for this, libcurl decodes the body and adds no header.
        string(CURLOPT_ACCEPT_ENCODING, request.decodesContent ? "" : nil)
        showsRawBytes(false)
        setAuthentication(request.authentication)
        string(CURLOPT_URL, request.url.absoluteString)
        setMethodAndBody(request)
        // Doesn't wait for a server's permission to send a body: a known login saves the same rounds.
        var lines = request.headers.map { "\($0.name): \($0.value)" } + ["Expect:"]
        if !request.headers.contains(where: { $0.name == "User-Agent" }) { lines.append("User-Agent: Carrel") }
        let list = lines.reduce(UnsafeMutablePointer<curl_slist>?.none) { curl_slist_append($0, $1) }
        _ = carrel_set_pointer(raw, CURLOPT_HTTPHEADER, list)
        return [list].compactMap(\.self)
    }

    /// Passes the bytes of a body to the transfer before they are decoded, too. Source: CURLOPT_DEBUGFUNCTION(3).
    func showsRawBytes(_ shows: Bool, to transfer: HTTPTransfer? = nil) {
        long(CURLOPT_VERBOSE, shows ? 1 : 0)
        _ = carrel_set_debug_callback(raw) { _, kind, data, size, context in
            if kind == CURLINFO_DATA_IN, let transfer = Transfer.from(context) as? HTTPTransfer {
                transfer.sawRaw(UnsafeRawBufferPointer(start: data, count: size))
            }
            return 0
        }
        _ = carrel_set_pointer(
            raw, CURLOPT_DEBUGDATA, transfer.map { Unmanaged.passUnretained($0 as Transfer).toOpaque() })
    }

    private func setAuthentication(_ authentication: TransferRequest.Authentication) {
        let (mask, user, password): (Int, String?, String?) =
            switch authentication {
            case .none: (0, nil, nil)
            case .negotiate(let user, let password, let allowsBasic):
                (allowsBasic ? carrel_AUTH_DIGEST | carrel_AUTH_BASIC : carrel_AUTH_DIGEST, user, password)
            case .basic(let user, let password): (carrel_AUTH_BASIC, user, password)
            case .digest(let user, let password): (carrel_AUTH_DIGEST, user, password)
            }
        long(CURLOPT_HTTPAUTH, mask)
        string(CURLOPT_USERNAME, user)
        string(CURLOPT_PASSWORD, password)
    }

    private func setMethodAndBody(_ request: TransferRequest) {
        // With an earlier query still in the handle, libcurl would not rewind an upload. It makes a POST of this, and
        // so comes first.
        _ = carrel_set_pointer(raw, CURLOPT_POSTFIELDS, nil)
        long(CURLOPT_HTTPGET, 1)
        switch request.body {
        case .none: break
        case .data(let data):
            long(CURLOPT_POST, 1)
            _ = carrel_set_offset(raw, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(data.count))
            data.withUnsafeBytes {
                _ = carrel_set_pointer(raw, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0.baseAddress))
            }
        case .source(let source):
            long(CURLOPT_UPLOAD, 1)
            _ = carrel_set_offset(raw, CURLOPT_INFILESIZE_LARGE, curl_off_t(source.length ?? -1))
        }
        if request.method == "HEAD" { long(CURLOPT_NOBODY, 1) }
        string(CURLOPT_CUSTOMREQUEST, request.method == "GET" || request.method == "HEAD" ? nil : request.method)
    }
}
