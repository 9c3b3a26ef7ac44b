extension SFTPBulkRead {
    struct State {
        /// The number of bytes that may be requested and not yet in the sink, shared by the transfers of a session.
        static let window = 8 << 20
        /// The initial and minimum number.
        static let first = 4 * SFTPLimits.maxLength
        /// The maximum number of pieces that are held. Each takes more memory than its bytes.
        private static let maxHeld = 4096

        var lanes: [Lane]
        /// The offset of the first byte that was not requested.
        var next: Int64
        /// Parts that arrived short, to be requested again before all others.
        var missing: [SFTPPart] = []
        /// The offset of the first byte that is not in the sink.
        var delivered: Int64
        /// The end of the requested bytes or, once it is known, of the file.
        var end: Int64
        var held: [Int64: [UInt8]] = [:]
        /// `READ`s in flight.
        var requests = 0
        /// Bytes that were requested from each session and have not arrived.
        var unanswered: [ObjectIdentifier: Int] = [:]
        /// Bytes that may be in flight or held.
        var line = SFTPWindow(first: Self.first, minCount: Self.first, maxCount: Self.window)
        var isDelivering = false
        var isSinkFull = false
        var outcome: Result<Int64, any Error>?
        var waiter: CheckedContinuation<Int64, any Error>?

        func handle(of session: SFTPSession) -> SFTPHandle? { lanes.first { $0.session === session }?.handle }

        /// Whether a session may be asked for so many more bytes. Each has its share; otherwise the slowest session
        /// would take all.
        func mayAsk(_ session: SFTPSession, for count: Int, of maxCount: Int) -> Bool {
            let asked = unanswered[ObjectIdentifier(session), default: 0]
            return asked == 0 || asked + count <= maxCount / lanes.count
        }

        mutating func asked(_ session: SFTPSession, for count: Int) {
            requests += 1
            unanswered[ObjectIdentifier(session), default: 0] += count
        }

        mutating func answered(_ session: SFTPSession, _ part: SFTPPart) {
            requests -= 1
            unanswered[ObjectIdentifier(session), default: part.count] -= part.count
        }

        /// The first part that arrived short; nil if too many pieces wait for one that is in flight.
        mutating func takeMissing() -> SFTPPart? {
            guard let index = missing.indices.min(by: { missing[$0].offset < missing[$1].offset }),
                held.count < Self.maxHeld || missing[index].offset == delivered
            else { return nil }
            let part = missing.remove(at: index)
            return SFTPPart(offset: part.offset, count: part.count)
        }
    }
}
