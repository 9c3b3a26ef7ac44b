/// The entries of an open folder, with several `READDIR`s on their way.
package struct SFTPListing {
    /// How much of one folder is read: a server can go on for ever.
    package struct Limits: Sendable {
        /// Entries.
        package var entries = 10_000_000
        /// Bytes of the names, which whoever lists may keep.
        package var names = 256 << 20
        /// Bytes of names and of lines for people.
        package var bytes = 2 << 30

        /// The usual ones, or fewer.
        package init(entries: Int = 10_000_000, names: Int = 256 << 20, bytes: Int = 2 << 30) {
            self.entries = entries
            self.names = names
            self.bytes = bytes
        }
    }

    /// On their way at first: more than most folders take.
    private static let first = 16
    /// On their way at most.
    private static let maxCount = 128
    /// Names in an answer that tell of a long folder: small ones have fewer in all.
    private static let many = 50
    /// Entries on their way at most, where all answers are like the last.
    private static let maxNames = 65_536
    /// Bytes on their way at most, where all answers are like the last.
    private static let maxBytes = 8 << 20

    private let session: SFTPSession
    private let handle: SFTPHandle
    private var calls: [SFTPCall] = []
    private var isAtEnd = false
    /// What is left of the limits.
    private var left: Limits
    private let empty: Int

    /// - Parameters:
    ///   - handle: From `OPENDIR`; closing it is the caller's.
    ///   - limits: How much is read.
    package init(_ session: SFTPSession, handle: SFTPHandle, limits: Limits = Limits()) {
        self.session = session
        self.handle = handle
        left = limits
        // An answer without names counts as many: it must not go on for ever either.
        empty = limits.entries / 1_000 + 1
        calls = (0..<Self.first).map { _ in session.begin([.readdir(handle)]) }
    }

    /// The next entries, `.` and `..` among them where the server tells these; nil at the end.
    ///
    /// - Throws: An ``SFTPRefusal``; `SFTPListing.TooLong` beyond the limits; as `SFTPSession.send(_:)`.
    package mutating func next() async throws -> [SFTPName]? {
        while !calls.isEmpty {
            let reply = try await calls.removeFirst().value()[0]
            switch reply {
            case .names(let names):
                let bytes = count(names)
                guard left.entries >= 0, left.names >= 0, left.bytes >= 0 else { throw TooLong() }
                if !isAtEnd { ask(inEach: names.count, bytes) }
                if !names.isEmpty { return names }
            case .status(let status) where status.isEndOfFile: isAtEnd = true
            case .status(let status): throw SFTPRefusal(status: status)
            default: throw SFTPRefusal(status: SFTPStatus(code: SFTPStatus.Code.badMessage))
            }
        }
        return nil
    }

    /// - Returns: The bytes of the answer.
    private mutating func count(_ names: [SFTPName]) -> Int {
        let kept = names.reduce(0) { $0 + $1.filename.count }
        let bytes = names.reduce(kept) { $0 + $1.longname.count }
        left.entries -= names.isEmpty ? empty : names.count
        left.names -= kept
        left.bytes -= bytes
        return bytes
    }

    /// One for the one that was answered, and one more, or all where the folder is long; fewer where answers are so
    /// long that many would fill the memory.
    private mutating func ask(inEach names: Int, _ bytes: Int) {
        let maxCount = max(1, min(Self.maxCount, Self.maxNames / max(1, names), Self.maxBytes / max(1, bytes)))
        let more = names < Self.many ? 2 : maxCount
        for _ in 0..<max(0, min(more, maxCount - calls.count)) { calls.append(session.begin([.readdir(handle)])) }
    }

    /// A folder has more entries, or longer ones, than are read.
    package struct TooLong: Error {}
}
