extension SFTPBulkRead {
    struct State {
        /// Bytes that may be asked for and not be with the sink yet, shared by the transfers of a session.
        static let window = 8 << 20
        /// So many of them at first, and always.
        static let first = 4 * SFTPLimits.maxLength
        /// Pieces that are held at most: each takes more than its bytes.
        private static let maxHeld = 4096

        var lanes: [Lane]
        /// The first byte that nobody has been asked for.
        var next: Int64
        /// Parts that came short, to be asked for again before all else.
        var missing: [SFTPPart] = []
        /// The first byte that the sink does not have.
        var delivered: Int64
        /// One past the last byte that is wanted and, as far as it is known, there.
        var end: Int64
        var held: [Int64: [UInt8]] = [:]
        /// `READ`s on their way.
        var requests = 0
        /// Bytes that each session was asked for and has not answered for.
        var unanswered: [ObjectIdentifier: Int] = [:]
        /// Bytes that may be on their way or held.
        var line = SFTPWindow(first: Self.first, minCount: Self.first, maxCount: Self.window)
        var isDelivering = false
        var isSinkFull = false
        var outcome: Result<Int64, any Error>?
        var waiter: CheckedContinuation<Int64, any Error>?

        func handle(of session: SFTPSession) -> SFTPHandle? { lanes.first { $0.session === session }?.handle }

        /// Whether a session may be asked for so many more: each has its share, or the slowest would have them all, and
        /// the others none.
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

        /// The first of those that came short; nil where too many pieces wait for one that is on its way.
        mutating func takeMissing() -> SFTPPart? {
            guard let index = missing.indices.min(by: { missing[$0].offset < missing[$1].offset }),
                held.count < Self.maxHeld || missing[index].offset == delivered
            else { return nil }
            let part = missing.remove(at: index)
            return SFTPPart(offset: part.offset, count: part.count)
        }
    }
}
