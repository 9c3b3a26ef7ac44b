import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

import SSHTransport

/// What can be seen of a connection without a server that speaks SSH.
@Suite(.timeLimit(.minutes(1))) struct SSHConnectionTests {
    /// Listens, says something to each that comes, and closes or not.
    private final class Listener: Sendable {
        let socket: Int32
        let port: Int

        init() throws {
            let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { location in
                    bind(socket, location, length) == 0 && listen(socket, 5) == 0
                        && getsockname(socket, location, &length) == 0
                }
            }
            self.socket = socket
            port = Int(UInt16(bigEndian: address.sin_port))
            try #require(isListening)
        }

        deinit {
            close(socket)
        }

        /// Whether somebody has called and was not answered. Source: poll(2).
        var hasCaller: Bool {
            var location = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            return poll(&location, 1, 0) == 1
        }

        /// Serves one connection on a thread of its own.
        func say(_ bytes: [UInt8], times: Int = 1) {
            let thread = Thread { [socket] in
                let peer = accept(socket, nil, nil)
                for _ in 0..<times where send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0 { break }
                close(peer)
            }
            thread.start()
        }
    }

    private func connect(_ port: Int, connect: Double = 10) async throws -> SSHConnection {
        let options = SSHOptions(timeouts: Timeouts(connect: connect)) { _ in }
        let login = SSHLogin(user: "reader", methods: [.password(SSHSecret("x"))])
        return try await SSHConnection.connect(
            to: SSHServer(host: "127.0.0.1", port: port), login: login, options: options)
    }

    @Test func `a port where nobody listens is refused`() async throws {
        var listener: Listener? = try Listener()
        let port = try #require(listener?.port)
        listener = nil
        await #expect { try await connect(port) } throws: {
            ($0 as? URLError)?.code == .cannotConnectToHost && $0.sentence.contains("\(port)")
        }
    }

    @Test func `limits that are infinite, or no number, are limits`() async throws {
        for limit in [Double.infinity, .nan, -1, 1e300] {
            var listener: Listener? = try Listener()
            let port = try #require(listener?.port)
            listener = nil
            let error = await #expect(throws: URLError.self) { try await connect(port, connect: limit) }
            #expect(
                error?.code == (limit > 0 ? .cannotConnectToHost : .timedOut) || error?.code == .cannotConnectToHost)
        }
    }

    @Test func `a server that says nothing is timed out`() async throws {
        let listener = try Listener()
        await #expect { try await connect(listener.port, connect: 0.3) } throws: {
            ($0 as? URLError)?.code == .timedOut
        }
    }

    @Test func `a server that talks without end, in lines or in none, is timed out`() async throws {
        for text in ["hello\r\n", "hello"] {
            let listener = try Listener()
            listener.say(Array(String(repeating: text, count: 1000).utf8), times: 1_000_000)
            await #expect { try await connect(listener.port, connect: 0.5) } throws: {
                ($0 as? URLError)?.code == .timedOut
            }
        }
    }

    @Test(arguments: ["", "HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-x\r\n"])
    func `a server that closes is lost`(text: String) async throws {
        let listener = try Listener()
        listener.say(Array(text.utf8))
        await #expect { try await connect(listener.port) } throws: { ($0 as? URLError)?.code == .networkConnectionLost }
    }

    @Test func `a cancelled connection is given up at once`() async throws {
        let listener = try Listener()
        let task = Task { try await connect(listener.port, connect: 60) }
        try await eventually { listener.hasCaller }
        let start = ContinuousClock.now
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func `an unknown host is told as such`() async throws {
        let options = SSHOptions { _ in }
        await #expect {
            try await SSHConnection.connect(
                to: SSHServer(host: "nothing.invalid"), login: SSHLogin(user: "", methods: []), options: options)
        } throws: { ($0 as? URLError)?.code == .cannotFindHost }
    }
}
