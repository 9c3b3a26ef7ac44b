import CCurl
import FileProviderCore
import Foundation

extension EasyHandle {
    /// Sets the options of FTP. Returns the lists of commands, which must live as long as the transfer.
    func configure(for transfer: FTPTransfer, options: ConnectionOptions) -> [UnsafeMutablePointer<curl_slist>] {
        let (server, exchange) = (transfer.server, transfer.exchange)
        string(CURLOPT_PROTOCOLS_STR, "ftp,ftps")
        setServer(server, login: transfer.login, options: options, patience: exchange.patience)
        setSockets(Unmanaged.passUnretained(transfer.sockets).toOpaque())
        // Sent commands are reported only in debug messages.
        long(CURLOPT_VERBOSE, 1)
        _ = carrel_set_debug_callback(raw) { _, kind, data, size, context in
            if kind == CURLINFO_HEADER_OUT {
                Transfer.from(context)?.sentHeader(UnsafeRawBufferPointer(start: data, count: size))
            }
            return 0
        }
        _ = carrel_set_pointer(raw, CURLOPT_DEBUGDATA, Unmanaged.passUnretained(transfer as Transfer).toOpaque())
        if let rate = exchange.bytesPerSecond { limit(bytesPerSecond: rate) }
        // With a star, libcurl continues after a refusal and keeps the connection.
        let starred = exchange.commands.map { [UInt8(ascii: "*")] + $0.line }
        let offset = setTransfer(exchange.transfer, server: server)
        // With a command in between, libcurl may wait for TLS on the data connection, which servers begin only after
        // `RETR`. Servers keep the offset while the data connection is opened.
        let isSecure = server.security != .none
        let commands = Self.list(starred + (isSecure ? offset : []))
        let before = Self.list(isSecure ? [] : offset)
        _ = carrel_set_pointer(raw, CURLOPT_QUOTE, commands)
        _ = carrel_set_pointer(raw, CURLOPT_PREQUOTE, before)
        return [commands, before].compactMap(\.self)
    }

    private func setServer(_ server: FTPServer, login: FTPLogin, options: ConnectionOptions, patience: Double) {
        string(CURLOPT_USERNAME, login.user)
        string(CURLOPT_PASSWORD, login.password)
        // Requires TLS: libcurl fails rather than continue in clear (RFC 4217).
        long(CURLOPT_USE_SSL, server.security == .none ? Int(CURLUSESSL_NONE.rawValue) : Int(CURLUSESSL_ALL.rawValue))
        long(CURLOPT_FTPSSLAUTH, Int(CURLFTPAUTH_TLS.rawValue))
        if server.tlsCeiling == .tls12 { long(CURLOPT_SSLVERSION, carrel_TLS_1_2_ONLY) }
        string(CURLOPT_SSLCERT, server.security == .none ? nil : options.trust.clientCertificate)
        string(
            CURLOPT_SSLKEY, server.security == .none ? nil : options.trust.clientKey ?? options.trust.clientCertificate)
        long(CURLOPT_FTP_FILEMETHOD, Int(CURLFTPMETHOD_NOCWD.rawValue))
        // Data comes from the host of the control connection, never from an address in a reply.
        long(CURLOPT_FTP_SKIP_PASV_IP, 1)
        long(CURLOPT_FTP_USE_EPSV, server.dataMode == .ipv4Passive ? 0 : 1)
        string(CURLOPT_FTPPORT, server.dataMode == .active ? "-" : nil)
        long(CURLOPT_ACCEPTTIMEOUT_MS, Self.milliseconds(options.timeouts.connect))
        long(
            CURLOPT_SERVER_RESPONSE_TIMEOUT,
            Int(min(max(1, (options.timeouts.idle * patience).rounded(.up)), 2_600_000)))
        long(CURLOPT_HTTPPROXYTUNNEL, 1)
        // Whether the connection is still usable is checked before an exchange, not derived from its age.
        long(CURLOPT_MAXAGE_CONN, 86_400)
        long(CURLOPT_TCP_KEEPIDLE, 30)
        long(CURLOPT_TCP_KEEPINTVL, 30)
    }

    private func setSockets(_ context: UnsafeMutableRawPointer) {
        _ = carrel_set_opensocket_callback(raw) { context, _, address in
            guard let address else { return carrel_SOCKET_BAD }
            return FTPSockets.from(context)?.open(address) ?? carrel_SOCKET_BAD
        }
        _ = carrel_set_sockopt_callback(raw) { context, socket, purpose in
            guard let sockets = FTPSockets.from(context) else { return CURL_SOCKOPT_ERROR }
            return purpose != CURLSOCKTYPE_ACCEPT || sockets.accepted(socket) ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR
        }
        _ = carrel_set_closesocket_callback(raw) { context, socket in
            FTPSockets.from(context)?.close(socket)
            return 0
        }
        for option in [CURLOPT_OPENSOCKETDATA, CURLOPT_SOCKOPTDATA, CURLOPT_CLOSESOCKETDATA] {
            _ = carrel_set_pointer(raw, option, context)
        }
    }

    /// Sets the transfer's options. Returns the command, if any, that sets its offset.
    private func setTransfer(_ transfer: FTPExchange.Transfer, server: FTPServer) -> [[UInt8]] {
        long(CURLOPT_UPLOAD, 0)
        long(CURLOPT_NOBODY, 0)
        long(CURLOPT_APPEND, 0)
        // No `SIZE` before each `RETR`.
        long(CURLOPT_IGNORE_CONTENT_LENGTH, 1)
        string(CURLOPT_CUSTOMREQUEST, nil)
        var before: [[UInt8]] = []
        switch transfer {
        case .none:
            long(CURLOPT_NOBODY, 1)
            string(CURLOPT_URL, server.urlText([]))
        case .retrieve(let path, let offset, _, _):
            if offset > 0 { before = [Array("REST \(offset)".utf8)] }
            string(CURLOPT_URL, server.urlText(path))
        case .list(let command):
            string(CURLOPT_URL, server.urlText([]))
            command.line.withUnsafeCString { _ = carrel_set_string(raw, CURLOPT_CUSTOMREQUEST, $0) }
        case .store(let path, let source, let offset, let continuing):
            long(CURLOPT_UPLOAD, 1)
            _ = carrel_set_offset(raw, CURLOPT_INFILESIZE_LARGE, curl_off_t(source.length.map { $0 - offset } ?? -1))
            if case .append = continuing { long(CURLOPT_APPEND, 1) }
            if case .restart = continuing { before = [Array("REST \(offset)".utf8)] }
            string(CURLOPT_URL, server.urlText(path))
        }
        return before
    }

    private static func list(_ lines: [[UInt8]]) -> UnsafeMutablePointer<curl_slist>? {
        lines.reduce(nil) { list, line in line.withUnsafeCString { curl_slist_append(list, $0) } }
    }
}

extension [UInt8] {
    fileprivate func withUnsafeCString<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value {
        (self + [0]).withUnsafeBytes { bytes in
            // The base is never nil, because there is at least the terminator.
            bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map(body) } ?? "".withCString(body)
        }
    }
}

extension FTPSockets {
    fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> FTPSockets? {
        context.map { Unmanaged<FTPSockets>.fromOpaque($0).takeUnretainedValue() }
    }
}
