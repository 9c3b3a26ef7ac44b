import Foundation

/// A socket whose bytes are counted, and which the double's cuts can reset.
final class FTPSocket {
    enum Received {
        case bytes(Data)
        /// Nothing now.
        case nothing
        /// The peer has said all.
        case end
        /// The peer or a cut has reset it.
        case lost
    }

    /// `POLLRDHUP` of poll(2): the peer has closed its side, whether all that it sent is read or not.
    static let hangUp: Int16 = 0x2000

    /// For poll(2).
    static func milliseconds(_ seconds: Double) -> Int32 { Int32(min(max(0, seconds) * 1_000, 1e9)) }

    let descriptor: Int32
    private let cutter: Cutter
    private let moved: (_ received: Int, _ sent: Int) -> Void
    private(set) var isLost = false

    init(_ descriptor: Int32, _ cutter: Cutter, moved: @escaping (_ received: Int, _ sent: Int) -> Void) {
        self.descriptor = descriptor
        self.cutter = cutter
        self.moved = moved
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        // Telnet's "Synch" comes as urgent data.
        setsockopt(descriptor, SOL_SOCKET, SO_OOBINLINE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    func receive(atMost count: Int = 65_536, waits: Bool) -> Received {
        if isLost { return .lost }
        // Before the cut is looked at, which may be set while nothing comes.
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, waits ? -1 : 0) > 0 else { return .nothing }
        var piece = [UInt8](repeating: 0, count: count)
        let limit = cutter.limit(count, isSending: false) ?? count
        let received = limit == 0 ? 0 : recv(descriptor, &piece, limit, Int32(MSG_DONTWAIT))
        if received < 0 {
            if errno == EAGAIN || errno == EINTR { return .nothing }
            isLost = true
            return .lost
        }
        if received == 0 && limit > 0 { return .end }
        moved(received, 0)
        if cutter.count(received, isSending: false) { reset() }
        return isLost ? .lost : .bytes(Data(piece.prefix(received)))
    }

    /// How many bytes went without waiting, 0 when none can go now; nil when the connection has gone.
    func send(_ data: Data) -> Int? {
        if isLost { return nil }
        let limit = cutter.limit(data.count, isSending: true) ?? data.count
        guard let sent = put(data.prefix(limit), flags: Int32(MSG_DONTWAIT)) else { return nil }
        moved(0, sent)
        if cutter.count(sent, isSending: true) { reset() }
        return isLost ? nil : sent
    }

    /// Waits until all has gone; false when the connection has.
    func sendAll(_ data: Data) -> Bool {
        if isLost { return false }
        let limit = cutter.limit(data.count, isSending: true) ?? data.count
        // Before the client can have got it, asked for the count and set the next cut.
        moved(0, limit)
        let isCut = cutter.count(limit, isSending: true)
        var rest = data.prefix(limit)
        while !rest.isEmpty {
            guard let sent = put(rest, flags: 0) else { return false }
            rest = rest.dropFirst(sent)
        }
        if isCut { reset() }
        return !isCut
    }

    private func put(_ data: Data, flags: Int32) -> Int? {
        if data.isEmpty { return 0 }
        let sent = data.withUnsafeBytes {
            Foundation.send(descriptor, $0.baseAddress, $0.count, flags | Int32(MSG_NOSIGNAL))
        }
        if sent >= 0 { return sent }
        if errno == EAGAIN || errno == EINTR { return 0 }
        isLost = true
        return nil
    }

    /// Whoever closes it resets it.
    func reset() {
        resetWhenClosed(descriptor)
        isLost = true
    }
}
