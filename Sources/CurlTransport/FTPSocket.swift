import CCurl
import Foundation

/// A socket of libcurl's, with a number of our own for it: libcurl closes some without a word, and then their numbers are somebody else's.
struct FTPSocket: Sendable {
    let number: Int32
    let own: Int32

    /// - Parameter other: What `own` stands for, where libcurl has a stand-in under `number`.
    init?(_ number: Int32, for other: Int32? = nil) {
        self.number = number
        own = fcntl(other ?? number, F_DUPFD_CLOEXEC, 0)
        if own < 0 { return nil }
    }

    /// Whether libcurl's number is still that of this socket.
    var isOpen: Bool {
        var (there, here) = (stat(), stat())
        return fstat(number, &there) == 0 && fstat(own, &here) == 0 && there.st_ino == here.st_ino && there.st_dev == here.st_dev
    }

    func close() { _ = Foundation.close(own) }
}

extension FTPSockets.State {
    /// The control connection is the one of those that were begun which libcurl has kept.
    mutating func greeted() {
        wasGreeted = true
        control?.close()
        control = candidates.last { $0.isOpen }
        for other in candidates where other.number != control?.number { other.close() }
        candidates = []
    }

    /// Lets go of what libcurl has closed without a word.
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
        if let gone = data, early == nil, !gone.isOpen {
            gone.close()
            data = nil
        }
    }

    /// Begins to connect the data connection, and gives libcurl a socket in its place that it takes for connected at once.
    ///
    /// libcurl sends the command of the transfer no sooner than the data connection is there, though the server answers that only when it
    /// is: a round trip for nothing. A datagram socket is connected as soon as it is asked to be, and carries nothing meanwhile.
    /// (`CURL_SOCKOPT_ALREADY_CONNECTED` is meant for that; libcurl 7.88 connects once more after it.)
    ///
    /// - Returns: Nil where there is to be none: a proxy, to which data is connected as the control connection was, has much to say first.
    mutating func standIn(for address: UnsafeMutablePointer<curl_sockaddr>) -> Int32? {
        guard let real = data?.number, let control = control?.own, let place = Self.place(of: address),
            !Self.isConnected(control, to: place)
        else { return nil }
        let isBegun = place.withMemoryRebound(to: sockaddr.self) { place in
            connect(real, place.baseAddress, socklen_t(address.pointee.addrlen)) == 0 || errno == EINPROGRESS
        }
        let standIn = isBegun ? FTPSockets.socket(for: address, kind: Int32(SOCK_DGRAM.rawValue)) : -1
        guard standIn >= 0 else { return nil }
        var yes: Int32 = 1
        setsockopt(real, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(real, SOL_SOCKET, SO_KEEPALIVE, &yes, socklen_t(MemoryLayout<Int32>.size))
        var seconds: Int32 = 30
        for option in [TCP_KEEPIDLE, TCP_KEEPINTVL] {
            setsockopt(real, Int32(IPPROTO_TCP), option, &seconds, socklen_t(MemoryLayout<Int32>.size))
        }
        data?.close()
        (data, early) = (FTPSocket(standIn, for: real), real)
        return standIn
    }

    /// The address's bytes: there are more of them than its type in C shows.
    private static func place(of address: UnsafeMutablePointer<curl_sockaddr>) -> UnsafeRawBufferPointer? {
        MemoryLayout<curl_sockaddr>.offset(of: \.addr).map {
            UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + $0, count: Int(address.pointee.addrlen))
        }
    }

    private static func isConnected(_ control: Int32, to place: UnsafeRawBufferPointer) -> Bool {
        var peer = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(control, $0, &length) == 0 }
        }
        return !isKnown || withUnsafeBytes(of: &peer) { $0.prefix(Int(length)).elementsEqual(place) }
    }

    mutating func took(data socket: Int32) {
        data?.close()
        if let early = early.take() { _ = Foundation.close(early) }
        data = FTPSocket(socket)
        dataConnections += 1
        guard var bytes = receiveBuffer else { return }
        // Before the connection is made, or the server is told of a larger window.
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }
}
