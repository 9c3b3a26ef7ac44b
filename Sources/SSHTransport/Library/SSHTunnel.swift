import FileProviderCore
import Foundation

/// Makes a proxy connect to a server, over a non-blocking socket, on the connection's thread.
///
/// Reads not a byte after the proxy's answer, because the server speaks first.
struct SSHTunnel {
    let socket: Int32
    let proxy: SSHProxy
    let server: SSHServer
    let control: SSHControl
    let deadline: ContinuousClock.Instant

    var errors: ProxyErrors { ProxyErrors(proxy.server, url: server.url) }

    /// - Throws: `URLError` that names the proxy; ``SSHProxyRefusal`` where it wants a login; what
    ///   ``SSHControl/wait(for:events:until:)`` throws.
    func open() throws {
        switch proxy.server.origin.scheme {
        case "socks5": try openBySOCKS(sendsNames: false)
        case "socks5h": try openBySOCKS(sendsNames: true)
        default: try openByHTTP()
        }
    }

    func refusedLogin() -> SSHProxyRefusal {
        SSHProxyRefusal(error: errors.login(isWithheld: proxy.isWithheld), asksForLogin: true)
    }

    // MARK: Bytes

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 { sent += count } else { try wait(Int16(POLLOUT)) }
        }
    }

    /// All of `count` bytes.
    func receive(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += try receive(upTo: count - bytes.count, flags: 0) }
        return bytes
    }

    /// The next bytes, at least one, without consuming them.
    func peek(upTo count: Int) throws -> [UInt8] {
        try receive(upTo: count, flags: Int32(truncatingIfNeeded: MSG_PEEK))
    }

    private func receive(upTo limit: Int, flags: Int32) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        while true {
            let count = recv(socket, &bytes, limit, flags)
            if count > 0 { return Array(bytes.prefix(count)) }
            if count == 0 { throw errors.lost(host: server.host) }
            try wait(Int16(POLLIN))
        }
    }

    /// Waits after a call that would block, or throws its error.
    private func wait(_ events: Int16) throws {
        guard errno == EAGAIN || errno == EINTR else { throw errors.lost(host: server.host) }
        if deadline <= .now { throw errors.timedOut(host: server.host) }
        _ = try control.wait(for: socket, events: events, until: deadline)
    }
}
