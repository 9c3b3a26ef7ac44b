package import FileProviderCore
package import Foundation

/// An SSH server to connect to.
package struct SSHServer: Sendable, Hashable {
    /// A name or an address; one of IPv6 without brackets.
    package var host: String
    /// 1–65535.
    package var port: Int

    package init(host: String, port: Int = 22) {
        self.host = host
        self.port = port
    }

    /// What stands in errors: without user and path.
    package var url: URL? {
        var parts = URLComponents()
        parts.scheme = "sftp"
        parts.encodedHost =
            host.contains(":") ? "[\(host)]" : host.addingPercentEncoding(withAllowedCharacters: .urlHostAllowed)
        parts.port = port == 22 ? nil : port
        return parts.url
    }
}

/// How an ``SSHConnection`` is made.
package struct SSHOptions: Sendable {
    /// `connect` is the time for the connection with its key exchange, and anew for each step of the login; `idle` that
    /// in which something has to move while a channel waits.
    package var timeouts: Timeouts
    /// Counts connections, rounds of logins as requests, and bytes.
    package var counters: TransferCounters
    /// The types of host keys that are known of the server, to be asked for before others.
    package var hostKeyTypes: [String]
    /// Lets the server's key pass or throws why not. Called on the connection's thread, before anything secret is sent;
    /// may wait for a disk.
    package var checkHostKey: @Sendable (HostKey) throws -> Void
    /// Bytes that the server may send ahead on each channel: what is under way at 200 MB/s in 20 ms, at 40 MB/s in 100
    /// ms.
    ///
    /// More does harm where the way is slower than the server's disk: OpenSSH's server gathers as much as the window
    /// takes, in a buffer that it copies each time it grows.
    package var window = 4 << 20
    /// The proxy on the way; nil for none.
    package var proxy: SSHProxy?
    /// How long nothing may come while channels are open before the server is asked whether it is there; less than two
    /// seconds counts as two. After three questions without an answer, while nobody waits for anything, the connection
    /// has ended.
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
