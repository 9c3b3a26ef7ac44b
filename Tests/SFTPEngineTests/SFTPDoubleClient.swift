import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles

/// A client that knows nothing but packets, for tests of the double itself.
///
/// Unchecked: `lock` protects what tests and the channel's thread share; `room` belongs to the thread.
final class SFTPDoubleClient: ByteChannelUser, @unchecked Sendable {
    let channel: any ByteChannel
    private let lock = NSLock()
    private var output: [UInt8] = []
    private var input: [UInt8] = []
    private var error: (any Error)?
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
    private let outgoing = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 1)

    init(_ double: SFTPDouble, isWaiting: Bool = true) {
        self.isWaiting = isWaiting
        channel = double.channel()
        channel.start(self)
    }

    deinit {
        room.deallocate()
        outgoing.deallocate()
    }

    // MARK: The channel's thread

    func roomToReceive() -> UnsafeMutableRawBufferPointer { room }

    func received(_ count: Int) { lock.withLock { input += room[..<count] } }

    func bytesToSend() -> UnsafeRawBufferPointer {
        lock.withLock {
            let count = min(outgoing.count, output.count)
            outgoing.copyBytes(from: output[..<count])
            return UnsafeRawBufferPointer(rebasing: outgoing[..<count])
        }
    }

    func sent(_ count: Int) { lock.withLock { output.removeFirst(count) } }

    let isWaiting: Bool

    func ended(with error: any Error) { lock.withLock { self.error = error } }

    // MARK: The test

    /// A packet: type, then the fields. Numbers are four bytes; `UInt64` eight; arrays and texts are strings.
    func send(_ type: UInt8, _ fields: any SFTPDoubleField...) {
        let body = fields.flatMap { $0.bytes }
        send(raw: UInt32(1 + body.count).bytes + [type] + body)
    }

    /// LSTATs of the root, all at once.
    func sendTogether(_ ids: some Sequence<UInt32>) {
        send(raw: ids.flatMap { UInt32(10).bytes + [7] + $0.bytes + "/".bytes })
    }

    func send(raw bytes: [UInt8]) {
        lock.withLock { output += bytes }
        channel.wake()
    }

    /// The next packet, from its type on.
    func packet() async throws -> [UInt8] {
        let length = try await bytes(4).reduce(0) { $0 << 8 | Int($1) }
        return try await bytes(length)
    }

    /// So many bytes of what comes.
    func bytes(_ count: Int) async throws -> [UInt8] {
        try await eventually { () async throws -> [UInt8]? in
            let (bytes, error) = lock.withLock { () -> ([UInt8]?, (any Error)?) in
                guard input.count >= count else { return (nil, self.error) }
                defer { input.removeFirst(count) }
                return (Array(input[..<count]), nil)
            }
            if let error { throw error }
            return bytes
        }
    }

    /// What the channel ended with.
    func end() async throws -> URLError.Code? {
        do {
            while true { _ = try await bytes(1) }
        } catch let error as URLError {
            return error.code
        }
    }

    /// INIT and VERSION.
    func begin() async throws {
        send(1, UInt32(3))
        _ = try await packet()
    }
}

/// Something that goes into a packet.
protocol SFTPDoubleField {
    var bytes: [UInt8] { get }
}

extension UInt32: SFTPDoubleField {
    var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}
extension UInt64: SFTPDoubleField {
    var bytes: [UInt8] { UInt32(self >> 32).bytes + UInt32(truncatingIfNeeded: self).bytes }
}
extension String: SFTPDoubleField { var bytes: [UInt8] { Array(utf8).bytes } }
extension [UInt8]: SFTPDoubleField { var bytes: [UInt8] { UInt32(count).bytes + self } }
