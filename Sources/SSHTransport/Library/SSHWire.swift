import CSSH2
import FileProviderCore
import Foundation

/// Moves the bytes of one connection between libssh2 and its socket, on the connection's thread only.
///
/// Accepts everything that libssh2 sends and holds what the socket does not accept. So libssh2 never has a half-sent
/// packet, during which it could not even read, and two sides that both wait to be read would be stuck. What arrives is
/// rationed, because libssh2 reads a socket to its end before it returns any data, and a fast server would keep it
/// reading.
final class SSHWire {
    let socket: Int32
    private let thread = OwningThread()
    /// Bytes that libssh2 may still read in this round.
    var allowance = 0
    /// Whether libssh2 may see the end of the connection: only after it has read everything before it.
    var mayEnd = true
    private(set) var received: Int64 = 0
    private(set) var sent: Int64 = 0
    /// When something last arrived.
    private(set) var lastReceived = ContinuousClock.now
    /// The server's message when it ended the connection.
    private(set) var lastWords: String?
    /// Whether the other side has ended the connection.
    private(set) var hasEnded = false
    private var isShut = false
    /// Answers the prompts of a login, while there is one.
    var answers: SSHAnswers?
    /// The time spent waiting for others than the server.
    private var timeAway = Duration.zero
    private var waiting: [UInt8] = []
    private var waitingStart = 0
    private var memory = 0
    /// Bytes that have arrived and that libssh2, which reads a little at a time, has not read yet.
    private let inbound = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 16)
    private var inboundRest = 0..<0

    /// A hostile server may send requests without end and read no reply.
    private static let maxWaiting = 4 << 20
    /// A hostile server may send tiny packets, each of which costs libssh2 far more than it carries.
    private static let maxMemory = 256 << 20
    private static let maxWordsLength = 300

    init(socket: Int32) { self.socket = socket }

    deinit {
        inbound.deallocate()
        close(socket)
    }

    /// Runs a call that waits for the user or an agent. That time does not count as the server's.
    func away<Value>(_ body: () -> Value) -> Value {
        let began = ContinuousClock.now
        defer { timeAway += .now - began }
        return body()
    }

    /// The time that ``away(_:)`` has taken since the last call.
    func takeTimeAway() -> Duration {
        defer { timeAway = .zero }
        return timeAway
    }

    /// Whether everything that libssh2 has sent has left.
    var isFlushed: Bool { waiting.isEmpty }

    /// Stops all reading and writing.
    func shut() { isShut = true }

    /// Makes the system acknowledge the next bytes as soon as they arrive. It forgets this after a few.
    ///
    /// Until a channel serves, OpenSSH's server leaves Nagle's algorithm on (RFC 896): what it sends behind another
    /// small packet waits for the acknowledgement of that, which the system would put off by 40 ms (tcp(7)).
    func acknowledgeSoon() {
        var isOn: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_QUICKACK, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends what is held, as far as the socket accepts it. An error shows when reading.
    func flush() {
        thread.assertIsCurrent()
        while !waiting.isEmpty {
            let count = waiting.withUnsafeBytes { bytes in
                Foundation.send(
                    socket, bytes.baseAddress.map { $0 + waitingStart }, bytes.count - waitingStart, Int32(MSG_NOSIGNAL)
                )
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            // The other side no longer reads.
            if count < 0 {
                waiting = []
                return
            }
            waitingStart += count
            if waitingStart == waiting.count {
                waiting.removeAll(keepingCapacity: waiting.capacity <= 1 << 17)
                waitingStart = 0
            }
        }
    }

    private func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        thread.assertIsCurrent()
        if isShut { return -Int(EPIPE) }
        sent += Int64(bytes.count)
        var taken = 0
        while waiting.isEmpty, taken < bytes.count {
            let count = Foundation.send(
                socket, bytes.baseAddress.map { $0 + taken }, bytes.count - taken, Int32(MSG_NOSIGNAL))
            if count >= 0 {
                taken += count
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                return -Int(errno)
            }
        }
        guard taken < bytes.count else { return taken }
        if waiting.count - waitingStart > Self.maxWaiting { return -Int(ENOBUFS) }
        waiting += bytes[taken...]
        return bytes.count
    }

    private func receive(_ room: UnsafeMutableRawBufferPointer) -> Int {
        thread.assertIsCurrent()
        if isShut { return 0 }
        guard allowance > 0 else { return -Int(EAGAIN) }
        while true {
            if !inboundRest.isEmpty {
                let part = inboundRest.prefix(room.count)
                room.copyMemory(from: UnsafeRawBufferPointer(rebasing: inbound[part]))
                inboundRest = part.upperBound..<inboundRest.upperBound
                received += Int64(part.count)
                allowance -= part.count
                return part.count
            }
            let count = recv(socket, inbound.baseAddress, inbound.count, 0)
            if count > 0 {
                inboundRest = 0..<count
                continue
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return -Int(EAGAIN) }
            hasEnded = true
            return mayEnd ? (count == 0 ? 0 : -Int(errno)) : -Int(EAGAIN)
        }
    }

    /// Notes the time if something has arrived since `before`.
    func note(_ now: ContinuousClock.Instant, since before: Int64) {
        if received != before { lastReceived = now }
    }

    // MARK: What libssh2 calls

    /// A session whose bytes and memory pass through here, and which must not outlive this object. Nil if there is no
    /// memory.
    func makeSession() -> OpaquePointer? {
        let session = libssh2_session_init_ex(
            { count, wire in SSHWire.of(wire)?.allocate(count) }, { block, wire in SSHWire.of(wire)?.free(block) },
            { block, count, wire in SSHWire.of(wire)?.reallocate(block, count: count) },
            Unmanaged.passUnretained(self).toOpaque())
        guard let session else { return nil }
        carrel_ssh2_set_callbacks(
            session,
            { _, buffer, length, _, wire in
                SSHWire.of(wire)?.receive(UnsafeMutableRawBufferPointer(start: buffer, count: length)) ?? 0
            },
            { _, buffer, length, _, wire in
                SSHWire.of(wire)?.send(UnsafeRawBufferPointer(start: buffer, count: length)) ?? 0
            },
            { _, _, message, length, _, _, wire in SSHWire.of(wire)?.said(message, length) })
        return session
    }

    static func of(_ abstract: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> SSHWire? {
        abstract?.pointee.map { Unmanaged<SSHWire>.fromOpaque($0).takeUnretainedValue() }
    }

    private func said(_ message: UnsafePointer<CChar>?, _ length: Int32) {
        guard let message, length > 0 else { return }
        let bytes = UnsafeRawBufferPointer(start: message, count: min(Int(length), Self.maxWordsLength))
        lastWords = SSHText.line(bytes)
    }

    /// Memory that libssh2 frees.
    func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        guard memory + count <= Self.maxMemory, let block = malloc(count) else { return nil }
        memory += malloc_usable_size(block)
        return block
    }

    private func free(_ block: UnsafeMutableRawPointer?) {
        memory -= malloc_usable_size(block)
        Foundation.free(block)
    }

    private func reallocate(_ block: UnsafeMutableRawPointer?, count: Int) -> UnsafeMutableRawPointer? {
        let before = malloc_usable_size(block)
        guard memory + count - before <= Self.maxMemory, let moved = realloc(block, count) else { return nil }
        memory += malloc_usable_size(moved) - before
        return moved
    }
}
