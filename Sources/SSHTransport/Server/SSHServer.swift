package import FileProviderCore
package import Foundation

/// An SSH server to connect to.
package struct SSHServer: Sendable, Hashable {
    /// A name or an address; IPv6 without brackets.
    package var host: String
    /// 1–65535.
    package var port: Int

    package init(host: String, port: Int = 22) {
        self.host = host
        self.port = port
    }

    /// The URL for errors: without user and path.
    package var url: URL? {
        var parts = URLComponents()
        parts.scheme = "sftp"
        parts.encodedHost =
            host.contains(":") ? "[\(host)]" : host.addingPercentEncoding(withAllowedCharacters: .urlHostAllowed)
        parts.port = port == 22 ? nil : port
        return parts.url
    }
}

/// The options of an ``SSHConnection``.
package struct SSHOptions: Sendable {
    /// `connect` limits the connection with its key exchange, and separately each step of the login; `idle` limits the
    /// time without progress while a channel waits.
    package var timeouts: Timeouts
    /// Counts connections, rounds of logins as requests, and bytes.
    package var counters: TransferCounters
    /// The types of the server's known host keys, to be asked for first.
    package var hostKeyTypes: [String]
    /// Accepts the server's key, or throws the reason why not. Called on the connection's thread, before a secret is
    /// sent. May read from a disk.
    package var checkHostKey: @Sendable (HostKey) throws -> Void
    /// Bytes that the server may send ahead on each channel: what is in flight at 200 MB/s in 20 ms, or at 40 MB/s in
    /// 100 ms.
    ///
    /// A larger window harms if the network is slower than the server's disk: OpenSSH's server fills the window from a
    /// buffer that it copies each time it grows.
    package var window = 4 << 20
    /// The proxy; nil for none.
    package var proxy: SSHProxy?
    /// How long a server may be silent while channels are open before it is sent a request; less than two seconds
    /// counts as two. After three unanswered requests, while no caller waits for anything, the connection ends.
    package var keepAlive = Duration.seconds(30)

    package init(
        timeouts: Timeouts = Timeouts(), counters: TransferCounters = TransferCounters(), hostKeyTypes: [String] = [],
        checkHostKey: @escaping @Sendable (HostKey) throws -> Void
    ) {
        self.timeouts = timeouts
        self.counters = counters
        self.hostKeyTypes = hostKeyTypes
        self.checkHostKey = checkHostKey
    }
}
