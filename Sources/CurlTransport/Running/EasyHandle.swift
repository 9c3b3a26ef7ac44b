import CCurl
import FileProviderCore
import Foundation

/// Sets up libcurl easy handles. A handle is reused, because it keeps the digest challenge of its host, so every option
/// that is ever set is set for every transfer.
struct EasyHandle {
    let raw: UnsafeMutableRawPointer

    /// - Throws: `CocoaError(.fileReadUnknown)` if libcurl is out of memory.
    static func make() throws -> EasyHandle {
        guard let raw = curl_easy_init() else {
            throw FileError.make(.fileReadUnknown, path: "", sentence: "libcurl has no memory left.")
        }
        return EasyHandle(raw: raw)
    }

    /// Connects the handle to `transfer`. Returns the lists that must live as long as the transfer.
    func configure(for transfer: Transfer, options: ConnectionOptions) -> [UnsafeMutablePointer<curl_slist>] {
        setConnection(options)
        setProxy(options, host: transfer.url.host() ?? "", login: transfer.proxyLogin)
        setTrust(options, context: Unmanaged.passUnretained(transfer).toOpaque())
        setCallbacks(Unmanaged.passUnretained(transfer).toOpaque())
        _ = carrel_set_pointer(raw, CURLOPT_ERRORBUFFER, transfer.errorText)
        return transfer.configure(self, options: options)
    }

    private func setConnection(_ options: ConnectionOptions) {
        long(CURLOPT_NOSIGNAL, 1)
        // A cancelled transfer doesn't wait for its host lookup.
        long(CURLOPT_QUICK_EXIT, 1)
        long(CURLOPT_BUFFERSIZE, 512 << 10)
        // What is read fits in the processor's own memory until it is sent.
        long(CURLOPT_UPLOAD_BUFFERSIZE, 128 << 10)
        long(CURLOPT_TCP_KEEPALIVE, 1)
        long(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(options.timeouts.connect))
        long(CURLOPT_TIMEOUT_MS, Self.milliseconds(options.timeouts.whole ?? 0))
    }

    /// Lets go of everything that belongs to the transfer before.
    func disconnect() {
        for option in [
            CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_ERRORBUFFER,
            CURLOPT_HTTPHEADER,
            CURLOPT_PREREQDATA, CURLOPT_DEBUGDATA, CURLOPT_SSL_CTX_DATA,
        ] {
            _ = carrel_set_pointer(raw, option, nil)
        }
    }

    /// At most a month: what is longer, infinity included, is no limit that libcurl could tell from it.
    static func milliseconds(_ seconds: Double) -> Int { Int(min(max(0, seconds), 2_600_000) * 1000) }

    /// Shares the bandwidth among the transfers that run.
    func limit(bytesPerSecond: Int64) {
        _ = carrel_set_offset(raw, CURLOPT_MAX_RECV_SPEED_LARGE, curl_off_t(bytesPerSecond))
        _ = carrel_set_offset(raw, CURLOPT_MAX_SEND_SPEED_LARGE, curl_off_t(bytesPerSecond))
    }

    private func setProxy(_ options: ConnectionOptions, host: String, login: ProxyLogin.Access) {
        // The answer's head is the server's: what a proxy says while it opens a tunnel is none of it.
        long(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        switch options.proxy {
        case .environment: string(CURLOPT_PROXY, Origin(scheme: "", host: host, port: 0).isLoopback ? "" : nil)
        case .none: string(CURLOPT_PROXY, "")
        case .server(let server):
            string(CURLOPT_PROXY, server.url.absoluteString)
            string(CURLOPT_NOPROXY, server.exceptions?.joined(separator: ","))
            long(CURLOPT_HTTPPROXYTUNNEL, server.tunnelsAll ? 1 : 0)
            long(CURLOPT_SOCKS5_AUTH, carrel_AUTH_BASIC)
        }
        long(CURLOPT_PROXYAUTH, login.allowsBasic ? carrel_AUTH_DIGEST | carrel_AUTH_BASIC : carrel_AUTH_DIGEST)
        string(CURLOPT_PROXYUSERNAME, login.user)
        string(CURLOPT_PROXYPASSWORD, login.password)
        long(CURLOPT_PROXY_SSLVERSION, carrel_TLS_1_2)
        long(CURLOPT_PROXY_SSL_VERIFYPEER, options.trust.isInsecure ? 0 : 1)
        long(CURLOPT_PROXY_SSL_VERIFYHOST, options.trust.isInsecure ? 0 : 2)
        guard let authorities = options.trust.authorities else { return }
        string(CURLOPT_PROXY_CAINFO, authorities)
        string(CURLOPT_PROXY_CAPATH, nil)
    }

    private func setCallbacks(_ context: UnsafeMutableRawPointer) {
        _ = carrel_set_data_callback(raw, CURLOPT_HEADERFUNCTION) { buffer, size, count, context in
            let line = UnsafeRawBufferPointer(start: buffer, count: size * count)
            return Transfer.from(context)?.receiveHeader(line) == true ? line.count : 0
        }
        _ = carrel_set_data_callback(raw, CURLOPT_WRITEFUNCTION) { buffer, size, count, context in
            Transfer.from(context)?.receive(UnsafeRawBufferPointer(start: buffer, count: size * count)) ?? 0
        }
        _ = carrel_set_data_callback(raw, CURLOPT_READFUNCTION) { buffer, size, count, context in
            Transfer.from(context)?.send(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
                ?? carrel_READ_ABORT
        }
        _ = carrel_set_seek_callback(raw) { context, offset, _ in
            Transfer.from(context)?.seek(to: Int64(offset)) == true ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
        }
        _ = carrel_set_prereq_callback(raw) { context, remote, _, port, _ in
            let transfer = Transfer.from(context)
            transfer?.isConnected(to: remote.map { String(cString: $0) } ?? "", port: Int(port))
            return transfer?.begin() == true ? carrel_PREREQ_OK : carrel_PREREQ_ABORT
        }
        for option in [CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_PREREQDATA] {
            _ = carrel_set_pointer(raw, option, context)
        }
    }

    // An option that this libcurl does not know leaves its default, which is safe for every option set here.
    func long(_ option: CURLoption, _ value: Int) { _ = carrel_set_long(raw, option, value) }

    func string(_ option: CURLoption, _ value: String?) { _ = carrel_set_string(raw, option, value) }
}

extension Credential {
    var password: String? {
        if case .password(_, let password) = kind { password } else { nil }
    }
}

extension Transfer {
    /// The transfer that a callback belongs to; the event loop keeps it alive as long as libcurl knows it.
    static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }
}
