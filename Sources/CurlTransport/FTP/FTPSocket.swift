import CCurl
import Foundation

/// A socket of libcurl's under a second number of our own: libcurl closes some sockets without notice, and their
/// numbers are then reused.
struct FTPSocket: Sendable {
    let number: Int32
    /// The number to use instead of libcurl's.
    let own: Int32
    private let identity: UInt

    init?(_ number: Int32) {
        self.number = number
        identity = Self.identity(of: number)
        own = fcntl(number, F_DUPFD_CLOEXEC, 0)
        if own < 0 { return nil }
    }

    /// A socket that the server has opened: libcurl closes it without notice, and a second number would keep it open.
    init(accepted number: Int32) {
        self.number = number
        identity = Self.identity(of: number)
        own = number
    }

    /// Whether libcurl's number is still that of this socket.
    var isOpen: Bool { Self.identity(of: number) == identity }

    /// Ends both directions.
    func shutDown() { if own != number || isOpen { _ = shutdown(own, Int32(SHUT_RDWR)) } }

    func close() { if own != number { _ = Foundation.close(own) } }

    /// The address at the other end without its port, IPv4 in its short form. Nil if there is none.
    static func peer(of number: Int32) -> [UInt8]? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(number, $0, &length) == 0 }
        }
        guard isKnown else { return nil }
        let bytes = withUnsafeBytes(of: &storage) { Array($0) }
        // Source: ip(7), ipv6(7).
        if Int32(storage.ss_family) == AF_INET { return Array(bytes[4..<8]) }
        guard Int32(storage.ss_family) == AF_INET6 else { return nil }
        let address = Array(bytes[8..<24])
        let mapped = [UInt8](repeating: 0, count: 10) + [255, 255]
        return address.starts(with: mapped) ? Array(address[12...]) : address
    }

    /// A number that no other socket has at the same time; 0 for none.
    private static func identity(of number: Int32) -> UInt {
        var status = stat()
        return fstat(number, &status) == 0 ? UInt(status.st_ino) : 0
    }
}

extension FTPSockets.State {
    /// Of the sockets that were opened for it, the control connection is the one that libcurl has kept.
    mutating func greeted() {
        wasGreeted = true
        control?.close()
        control = candidates.last { $0.isOpen }
        for other in candidates where other.number != control?.number { other.close() }
        candidates = []
    }

    /// Closes the duplicates of sockets that libcurl has closed without notice.
    mutating func sweep() {
        candidates = candidates.filter { candidate in
            if candidate.isOpen { return true }
            candidate.close()
            return false
        }
        if let gone = control, !gone.isOpen {
            gone.close()
            control = nil
        }
        if let gone = data, !gone.isOpen {
            gone.close()
            data = nil
        }
    }

    /// Notes the address for data. Not if there is a proxy: data is then connected through it too, which begins with a
    /// longer exchange.
    mutating func note(_ address: UnsafeMutablePointer<curl_sockaddr>) {
        guard let control = control?.own, let location = Self.location(of: address),
            !Self.isConnected(control, to: location)
        else {
            self.location = nil
            return
        }
        self.location = Array(location)
    }

    /// The address's bytes: there are more of them than its type in C shows.
    private static func location(of address: UnsafeMutablePointer<curl_sockaddr>) -> UnsafeRawBufferPointer? {
        MemoryLayout<curl_sockaddr>.offset(of: \.addr).map {
            UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + $0, count: Int(address.pointee.addrlen))
        }
    }

    private static func isConnected(_ control: Int32, to location: UnsafeRawBufferPointer) -> Bool {
        var peer = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(control, $0, &length) == 0 }
        }
        return !isKnown || withUnsafeBytes(of: &peer) { $0.prefix(Int(length)).elementsEqual(location) }
    }

    mutating func took(data socket: FTPSocket?) {
        data?.close()
        data = socket
        dataConnections += 1
        guard var bytes = receiveBuffer, let socket = socket?.own else { return }
        // Set before the connection is opened, and thus before a larger window is announced.
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }
}
