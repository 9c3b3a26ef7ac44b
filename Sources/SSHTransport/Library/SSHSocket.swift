import FileProviderCore
import Foundation

/// Opens the TCP connection to a server, or to the proxy and through it to the server, on the connection's thread.
struct SSHSocket {
    let server: SSHServer
    let proxy: SSHProxy?
    let control: SSHControl
    let deadline: ContinuousClock.Instant
    /// Seconds within which something must move.
    let idle: Double

    /// A non-blocking socket, which its owner must close.
    ///
    /// - Throws: `URLError(.cannotFindHost)`, `.cannotConnectToHost`, `.timedOut`; what ``SSHTunnel/open()`` and
    ///   ``SSHControl/wait(for:events:until:)`` throw.
    func connect() throws -> Int32 {
        guard let proxy else { return try connect(to: server.host, port: server.port) }
        let origin = proxy.server.origin
        guard ["http", "socks5", "socks5h"].contains(origin.scheme) else {
            throw ProxyErrors(proxy.server, url: server.url).unsupported(
                "cannot be used for SFTP, which goes by http, socks5 and socks5h")
        }
        let host = origin.host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let socket = try connect(to: host, port: origin.port)
        do {
            try SSHTunnel(socket: socket, proxy: proxy, server: server, control: control, deadline: deadline).open()
        } catch {
            close(socket)
            throw error
        }
        return socket
    }

    private func connect(to host: String, port: Int) throws -> Int32 {
        let addresses = try resolve(host, port: port)
        var code = EADDRNOTAVAIL
        for (index, address) in addresses.enumerated() {
            // An address that doesn't answer leaves the others their share of the time.
            let share = (deadline - .now) / (addresses.count - index)
            switch try connect(to: address, until: .now + share) {
            case .success(let socket): return socket
            case .failure(let error): code = error.code.rawValue
            }
        }
        throw unreachable(code)
    }

    private func resolve(_ host: String, port: Int) throws -> [SSHAddress] {
        let found: [SSHAddress]
        do { found = try SSHAddress.all(of: host, port: port) } catch {
            if let end = control.end { throw end }
            throw errors?.notFound() ?? server.notFound(error)
        }
        if let end = control.end { throw end }
        return found
    }

    private var errors: ProxyErrors? { proxy.map { ProxyErrors($0.server, url: server.url) } }

    private func unreachable(_ code: Int32) -> URLError {
        let cause = POSIXErrorCode(rawValue: code).map { POSIXError($0) }
        if code == ETIMEDOUT { return errors?.timedOut(host: server.host, cause: cause) ?? server.timedOut(cause) }
        return errors?.notConnected(cause: cause)
            ?? FileError.make(
                .cannotConnectToHost, url: server.url,
                sentence:
                    "“\(server.host)” does not accept a connection on port \(server.port): \(String(cString: strerror(code))).",
                underlying: cause)
    }

    private func connect(
        to address: SSHAddress, until limit: ContinuousClock.Instant
    ) throws -> Result<Int32, POSIXError> {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = Foundation.socket(address.family, kind, 0)
        guard socket >= 0 else { return failure(errno) }
        var isKept = false
        defer { if !isKept { close(socket) } }
        Self.tune(socket, idle: idle)
        let result = address.bytes.withUnsafeBytes { bytes in
            Foundation.connect(
                socket, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        if result != 0 {
            guard errno == EINPROGRESS else { return failure(errno) }
            while try control.wait(for: socket, events: Int16(POLLOUT), until: limit) == 0 {
                if limit <= .now { return failure(ETIMEDOUT) }
            }
            var code: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length)
            if code != 0 { return failure(code) }
        }
        isKept = true
        return .success(socket)
    }

    private func failure(_ code: Int32) -> Result<Int32, POSIXError> {
        .failure(POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO))
    }

    private static func tune(_ socket: Int32, idle: Double) {
        func set(_ level: Int32, _ option: Int32, _ value: Int32) {
            var value = value
            setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
        // A request must not wait for the reply to the one before it; libssh2 leaves this option to its caller.
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30)
        set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 30)
        set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
        // If data stays unacknowledged for this time, the connection is dead. Longer than any caller waits.
        set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(max(90, min(idle.isNaN ? 0 : idle, 1e6)) * 1000))
        // What the system has accepted and not sent yet delays every later request.
        set(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, 256 << 10)
    }
}
