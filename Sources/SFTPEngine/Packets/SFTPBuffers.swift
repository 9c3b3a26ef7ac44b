/// Received bytes, cut into packets.
struct SFTPInbox: ~Copyable {
    /// The maximum length of a reply in bytes. The names of a folder take the most.
    static let maxPacketLength = 512 << 10
    /// Two packets. A partial packet is moved to the front now and then; a larger buffer makes that rarer.
    private static let capacity = 2 * maxPacketLength

    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
    private var start = 0
    private var end = 0
    private var isFirst = true

    deinit {
        memory.deallocate()
    }

    /// Never empty, because no packet is longer than the buffer.
    var room: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: memory[end...]) }

    mutating func take(_ count: Int) { end += count }

    /// The first received bytes as text, if they are text instead of a packet.
    private var text: String? {
        let bytes = memory[start..<min(end, start + 200)]
        guard bytes.prefix(4).allSatisfy({ (0x20..<0x7F).contains($0) || [9, 10, 13, 27].contains($0) }) else {
            return nil
        }
        let printable = bytes.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: " ") }
        return String(decoding: printable, as: UTF8.self).split(separator: " ").joined(separator: " ")
    }

    /// The next complete packet without its length, valid until the next change; nil until it is complete.
    mutating func packet() throws -> UnsafeRawBufferPointer? {
        let held = UnsafeRawBufferPointer(rebasing: memory[start..<end])
        guard held.count >= 4 else { return moveToFront() }
        let length = UInt32(bigEndian: held.loadUnaligned(as: UInt32.self))
        if length == 0 { throw SFTPProtocolError.cutOff }
        guard length <= UInt32(Self.maxPacketLength) - 4 else {
            if isFirst, let text { throw SFTPProtocolError.text(text) }
            throw SFTPProtocolError.tooLong(length)
        }
        guard held.count >= 4 + Int(length) else { return moveToFront() }
        start += 4 + Int(length)
        isFirst = false
        return UnsafeRawBufferPointer(rebasing: held[4..<4 + Int(length)])
    }

    /// Makes room after the received bytes. Returns nil, which its only caller returns.
    private mutating func moveToFront() -> UnsafeRawBufferPointer? {
        if start == end {
            (start, end) = (0, 0)
        } else if start > 0, memory.count - end < Self.maxPacketLength {
            memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[start..<end]))
            (start, end) = (0, end - start)
        }
        return nil
    }
}

/// Bytes to send, in order.
struct SFTPOutbox: ~Copyable {
    /// While so many bytes are waiting, none are added, because added bytes leave after them.
    static let enough = 256 << 10
    /// The length of the longest packet to send.
    static let maxPacketLength = 256 << 10

    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: enough + 2 * maxPacketLength, alignment: 16)
    private var start = 0
    private var end = 0

    deinit {
        memory.deallocate()
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[start..<end]) }

    /// Whether there is room for another packet.
    var wantsMore: Bool { end - start < Self.enough }

    mutating func drop(_ count: Int) {
        start += count
        if start == end { (start, end) = (0, 0) }
    }

    /// The room for the next packet.
    mutating func room() -> UnsafeMutableRawBufferPointer {
        if memory.count - end < Self.maxPacketLength {
            memory.copyMemory(from: bytes)
            (start, end) = (0, end - start)
        }
        return UnsafeMutableRawBufferPointer(rebasing: memory[end...])
    }

    mutating func add(_ count: Int) { end += count }

    mutating func append(_ packet: [UInt8]) {
        room().copyBytes(from: packet)
        add(packet.count)
    }
}
