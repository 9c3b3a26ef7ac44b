import CSSH2
import FileProviderCore
import Foundation

/// The bytes of one connection between libssh2 and its socket; on the connection's thread only.
///
/// What libssh2 sends is taken whole: what the socket does not take waits here. So libssh2 never has a packet half
/// sent, during which it can do nothing else, reading included, and two sides that both wait to be read would wait for
/// ever. What it receives is doled out: it reads a socket to its end before it gives anything away, which a fast server
/// keeps from coming.
final class SSHWire {
    let socket: Int32
    private let thread = OwningThread()
    /// Bytes that libssh2 may still read in this round.
    var allowance = 0
    /// Whether the end of the connection may be told: not before everything that came before it was taken.
    var mayEnd = true
    private(set) var received: Int64 = 0
    private(set) var sent: Int64 = 0
    /// When something came last.
    private(set) var lastReceived = ContinuousClock.now
    /// What the server said when it ended the connection.
    private(set) var lastWords: String?
    /// Whether the other side has ended the connection.
    private(set) var hasEnded = false
    private var isShut = false
    /// Who answers the questions of a login, while there is one.
    var answers: SSHAnswers?
    /// How long others than the server were waited for.
    private var timeAway = Duration.zero
    private var waiting: [UInt8] = []
    private var waitingStart = 0
    private var memory = 0
    /// What has come and libssh2, which asks for little at a time, has not taken yet.
    private let inbound = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 16)
    private var inboundRest = 0..<0

    /// A hostile server may ask for answers without end and read none.
    private static let maxWaiting = 4 << 20
    /// A hostile server may send tiny packets, each of which costs libssh2 far more than it carries.
    private static let maxMemory = 256 << 20
    private static let maxWordsLength = 300

    init(socket: Int32) { self.socket = socket }

    deinit {
        inbound.deallocate()
        close(socket)
    }

    /// Waits for somebody who answers a question or signs: that is not the server's time.
    func away<Value>(_ body: () -> Value) -> Value {
        let began = ContinuousClock.now
        defer { timeAway += .now - began }
        return body()
    }

    /// What ``away(_:)`` has taken since it was asked for last.
    func takeTimeAway() -> Duration {
        defer { timeAway = .zero }
        return timeAway
    }

    /// Whether all that libssh2 has sent has left.
    var isFlushed: Bool { waiting.isEmpty }

    /// From now on nothing comes and nothing goes.
    func shut() { isShut = true }

    /// Has the system acknowledge the next bytes as soon as they come; it forgets that after a few.
    ///
    /// Until a channel serves, OpenSSH's server leaves Nagle's algorithm on (RFC 896): what it sends behind another
    /// small packet waits for the acknowledgement of that, which the system would put off by 40 ms (tcp(7)).
    func acknowledgeSoon() {
        var isOn: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_QUICKACK, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends what waits, as far as the socket takes it. What keeps it from that shows in reading.
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
            // Nobody is there to take it.
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

    /// Notes the time where something has come since `before`.
    func note(_ now: ContinuousClock.Instant, since before: Int64) {
        if received != before { lastReceived = now }
    }

    // MARK: What libssh2 calls

    /// A session whose bytes and memory go through here; it must not outlive this. Nil where there is no memory.
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
