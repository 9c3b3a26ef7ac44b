import FileProviderCore
import Foundation

/// Opens the TCP connection to a server; on the connection's thread.
struct SSHSocket {
    let server: SSHServer
    let control: SSHControl
    let deadline: ContinuousClock.Instant
    /// Seconds in which something has to move.
    let idle: Double

    /// A socket that does not block, whose owner closes it.
    ///
    /// - Throws: `URLError(.cannotFindHost)`, `.cannotConnectToHost`, `.timedOut`; what
    ///   ``SSHControl/wait(for:events:until:)`` throws.
    func connect() throws -> Int32 {
        let addresses = try resolve()
        defer { freeaddrinfo(addresses) }
        var all: [UnsafeMutablePointer<addrinfo>] = []
        var next = Optional(addresses)
        while let address = next {
            all.append(address)
            next = address.pointee.ai_next
        }
        var code: Int32 = 0
        for (index, address) in all.enumerated() {
            // One that does not answer leaves the others their share of the time.
            let share = (deadline - .now) / (all.count - index)
            switch try connect(to: address.pointee, until: .now + share) {
            case .success(let socket): return socket
            case .failure(let error): code = error.code.rawValue
            }
        }
        if code == ETIMEDOUT { throw server.timedOut(POSIXError(.ETIMEDOUT)) }
        throw FileError.make(
            .cannotConnectToHost, url: server.url,
            sentence:
                "“\(server.host)” does not accept a connection on port \(server.port): \(String(cString: strerror(code))).",
            underlying: POSIXErrorCode(rawValue: code).map { POSIXError($0) })
    }

    /// Waits for the resolver, which nothing can hurry.
    private func resolve() throws -> UnsafeMutablePointer<addrinfo> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(server.host, "\(server.port)", &hints, &found)
        if let end = control.end { throw end }
        guard code == 0, let found else {
            throw FileError.make(
                .cannotFindHost, url: server.url,
                sentence: "The host “\(server.host)” cannot be found: \(String(cString: gai_strerror(code))).")
        }
        return found
    }

    private func connect(to address: addrinfo, until limit: ContinuousClock.Instant) throws -> Result<Int32, POSIXError>
    {
        let kind = address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = socket(address.ai_family, kind, address.ai_protocol)
        guard socket >= 0 else { return failure(errno) }
        var isKept = false
        defer { if !isKept { close(socket) } }
        Self.tune(socket, idle: idle)
        if Foundation.connect(socket, address.ai_addr, address.ai_addrlen) != 0 {
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
        // A request must not wait for the answer to the one before it; libssh2 leaves that to us.
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30)
        set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 30)
        set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
        // What nobody acknowledges for so long goes to nobody: never before those who wait give up.
        set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(max(90, min(idle.isNaN ? 0 : idle, 1e6)) * 1000))
        // What the system has taken and not sent yet is in front of every request that comes later.
        set(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, 256 << 10)
    }
}
