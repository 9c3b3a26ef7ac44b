/// Packets of requests that have not been sent yet, in two queues.
///
/// Calls that carry data have a separate queue, which takes turns with the transfers, so that a listing need not wait
/// for the content of many small files. The requests of one call stay in one queue, in order.
struct SFTPQueue {
    private var light = Row()
    private var heavy = Row()
    /// Bytes in both queues.
    private(set) var bytes = 0

    /// A longer packet carries data.
    static let lightest = 4 << 10

    var isEmpty: Bool { light.isEmpty && heavy.isEmpty }
    var hasHeavy: Bool { !heavy.isEmpty }

    mutating func append(_ packets: [[UInt8]]) {
        bytes += packets.reduce(0) { $0 + $1.count }
        if packets.contains(where: { $0.count > Self.lightest }) {
            heavy.packets += packets
        } else {
            light.packets += packets
        }
    }

    mutating func takeLight() -> [UInt8]? {
        let packet = light.take()
        bytes -= packet?.count ?? 0
        return packet
    }

    mutating func takeHeavy() -> [UInt8]? {
        let packet = heavy.take()
        bytes -= packet?.count ?? 0
        return packet
    }

    /// Removes the packets with these numbers that only look or write bytes, because their caller has left.
    ///
    /// - Returns: The numbers of the removed packets.
    mutating func drop(_ ids: Set<UInt32>) -> [UInt32] {
        let dropped = light.drop(ids) + heavy.drop(ids)
        bytes -= dropped.reduce(0) { $0 + $1.count }
        return dropped.map(Self.id)
    }

    /// The number in a packet, after its length and type.
    private static func id(_ packet: [UInt8]) -> UInt32 { packet[5..<9].reduce(0) { $0 << 8 | UInt32($1) } }

    private static let droppable: Set<UInt8> = Set(
        [SFTPPacketType.read, .write, .lstat, .fstat, .stat, .readdir, .realpath, .readlink].map(\.rawValue))

    private struct Row {
        var packets: [[UInt8]] = []
        /// The first packet that was not sent; those before it are removed together.
        private var start = 0

        var isEmpty: Bool { start == packets.count }

        mutating func take() -> [UInt8]? {
            guard start < packets.count else { return nil }
            defer {
                packets[start] = []
                start += 1
                if start == packets.count || start >= 1024 {
                    packets.removeFirst(start)
                    start = 0
                }
            }
            return packets[start]
        }

        mutating func drop(_ ids: Set<UInt32>) -> [[UInt8]] {
            packets.removeFirst(start)
            start = 0
            var dropped: [[UInt8]] = []
            packets.removeAll { packet in
                guard packet.count >= 9, droppable.contains(packet[4]), ids.contains(id(packet)) else { return false }
                dropped.append(packet)
                return true
            }
            return dropped
        }
    }
}
