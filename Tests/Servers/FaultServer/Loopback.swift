import Foundation

/// Sockets on 127.0.0.1 or ::1.
enum Loopback {
    /// A listening socket and its port, chosen by the system; nil when none can be had, as `errno` says.
    static func listen(isIPv6: Bool = false, backlog: Int32) -> (socket: Int32, port: Int)? {
        let listener = Foundation.socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let port = withAddress(0, isIPv6: isIPv6) { address, length -> Int? in
            var length = length
            guard bind(listener, address, length) == 0, Foundation.listen(listener, backlog) == 0,
                getsockname(listener, address, &length) == 0
            else { return nil }
            // At the same place in both kinds of address.
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
        if let port { return (listener, port) }
        let failure = errno
        close(listener)
        errno = failure
        return nil
    }

    /// A socket that never waits, on its way to the port or there; nil when it is refused at once.
    ///
    /// - Parameter address: Of IPv4, of this machine, to come from.
    static func connect(to port: Int, isIPv6: Bool = false, from address: String? = nil) -> Int32? {
        let client = Foundation.socket(
            isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        if let address {
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            own.sin_addr.s_addr = inet_addr(address)
            let isBound = withUnsafeMutablePointer(to: &own) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if !isBound {
                close(client)
                return nil
            }
        }
        let result = withAddress(port, isIPv6: isIPv6) { Foundation.connect(client, $0, $1) }
        if result == 0 || errno == EINPROGRESS { return client }
        close(client)
        return nil
    }

    private static func withAddress<Result>(
        _ port: Int, isIPv6: Bool, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        let number = UInt16(truncatingIfNeeded: port).bigEndian
        var (four, six) = (sockaddr_in(), sockaddr_in6())
        (four.sin_family, four.sin_port) = (sa_family_t(AF_INET), number)
        four.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        (six.sin6_family, six.sin6_port, six.sin6_addr) = (sa_family_t(AF_INET6), number, in6addr_loopback)
        func rebound<Address>(_ address: inout Address) -> Result {
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<Address>.size))
                }
            }
        }
        return isIPv6 ? rebound(&six) : rebound(&four)
    }
}
