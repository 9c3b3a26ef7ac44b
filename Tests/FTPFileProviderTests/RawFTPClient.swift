import FaultServer
import Foundation

/// Runs with a double and a client that is logged in to it; the double ends with it.
func withFTPDouble(
    _ settings: FTPDouble.Settings = .init(), files: [String: Data] = [:],
    _ body: (FTPDouble, RawFTPClient) throws -> Void
) throws {
    let double = try FTPDouble(settings, files: files)
    defer { double.stop() }
    try body(double, try RawFTPClient.loggedIn(double.port))
}

/// Waits for a condition; false after a minute.
func waits(until condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while !condition() {
        if ContinuousClock.now > deadline { return false }
        sched_yield()
    }
    return true
}

/// A socket that sends the FTP commands a test gives it, and waits up to twenty seconds for each reply.
final class RawFTPClient {
    private let socket: Int32
    private let isIPv6: Bool
    private var buffer = Data()
    /// Whether the connection ended with a reset.
    private(set) var wasReset = false

    init(_ port: Int, isIPv6: Bool = false) throws {
        self.isIPv6 = isIPv6
        socket = Foundation.socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let number = UInt16(truncatingIfNeeded: port).bigEndian
        var (four, six) = (sockaddr_in(), sockaddr_in6())
        (four.sin_family, four.sin_port) = (sa_family_t(AF_INET), number)
        four.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        (six.sin6_family, six.sin6_port, six.sin6_addr) = (sa_family_t(AF_INET6), number, in6addr_loopback)
        let isConnected = isIPv6 ? connect(&six) : connect(&four)
        if !isConnected { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECONNREFUSED) }
    }

    private func connect<Address>(_ address: inout Address) -> Bool {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(socket, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }

    deinit { close(socket) }

    /// Greeted, logged in, and set to `TYPE I`.
    static func loggedIn(_ port: Int, isIPv6: Bool = false) throws -> RawFTPClient {
        let client = try RawFTPClient(port, isIPv6: isIPv6)
        _ = client.reply()
        for command in ["USER anna", "PASS secret", "TYPE I"] { client.say(command) }
        return client
    }

    func send(_ data: Data) {
        var rest = data
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0 && errno == ECONNRESET { wasReset = true }
            if count <= 0 { return }
            rest = Data(rest.dropFirst(count))
        }
    }

    /// Sends a command and waits for its reply; nil when the connection has gone or nothing came.
    @discardableResult func say(_ command: String) -> String? {
        send(Data((command + "\r\n").utf8))
        return reply()
    }

    /// The next reply, lines joined by `\n`.
    func reply() -> String? {
        var lines: [String] = []
        while let line = line() {
            lines.append(line)
            let code = lines[0].prefix(3)
            if lines.count == 1 && !line.hasPrefix("\(code)-") || lines.count > 1 && line.hasPrefix("\(code) ") {
                return lines.joined(separator: "\n")
            }
        }
        return nil
    }

    private func line() -> String? {
        let end = Data("\r\n".utf8)
        while true {
            if let range = buffer.range(of: end) {
                defer { buffer = Data(buffer[range.upperBound...]) }
                return String(decoding: buffer[..<range.lowerBound], as: UTF8.self)
            }
            guard let piece = receive() else { return nil }
            buffer += piece
        }
    }

    /// What comes next; nil at the end, after a reset, and when nothing comes.
    func receive() -> Data? {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &piece, piece.count, 0)
        if count < 0 && errno == ECONNRESET { wasReset = true }
        return count > 0 ? Data(piece.prefix(count)) : nil
    }

    /// All until the end.
    func receiveAll() -> Data {
        var all = Data()
        while let piece = receive() { all += piece }
        return all
    }

    /// Whether nothing comes for so many seconds, not even the end.
    func isQuiet(for seconds: Double) -> Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return buffer.isEmpty && poll(&entry, 1, Int32(seconds * 1_000)) == 0
    }

    /// A data connection by `PASV` or `EPSV`.
    func dataConnection(_ command: String = "EPSV") throws -> RawFTPClient {
        let numbers = (say(command) ?? "").split { !$0.isNumber }.compactMap { Int($0) }
        return try RawFTPClient(
            command == "PASV" ? numbers.suffix(2).reduce(0) { $0 << 8 | $1 } : numbers.last ?? 0, isIPv6: isIPv6)
    }

    /// Mark, bytes and final reply.
    func fetch(_ command: String, by way: String = "EPSV") throws -> (mark: String?, data: Data, final: String?) {
        let data = try dataConnection(way)
        let mark = say(command)
        let bytes = data.receiveAll()
        return (mark, bytes, reply())
    }

    /// The final reply.
    func store(_ command: String, _ bytes: Data) throws -> String? {
        let data = try dataConnection()
        say(command)
        data.send(bytes)
        data.finish()
        return reply()
    }

    /// No more is sent.
    func finish() { shutdown(socket, Int32(SHUT_WR)) }
}
