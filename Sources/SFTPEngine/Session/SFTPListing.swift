/// The entries of an open folder, read with several `READDIR`s in flight.
package struct SFTPListing {
    /// Limits for one folder, because a server can continue for ever.
    package struct Limits: Sendable {
        /// Entries.
        package var entries = 10_000_000
        /// Bytes of the names, which the caller may keep.
        package var names = 256 << 20
        /// Bytes of names and of their `ls` lines.
        package var bytes = 2 << 30

        /// The default limits, or lower ones.
        package init(entries: Int = 10_000_000, names: Int = 256 << 20, bytes: Int = 2 << 30) {
            self.entries = entries
            self.names = names
            self.bytes = bytes
        }
    }

    /// `READDIR`s in flight at first: more than most folders need.
    private static let first = 16
    /// The maximum number of `READDIR`s in flight.
    private static let maxCount = 128
    /// Names in a reply that show a long folder: small folders have fewer in all.
    private static let many = 50
    /// The maximum number of entries in flight, if all replies are like the last.
    private static let maxNames = 65_536
    /// The maximum number of bytes in flight, if all replies are like the last.
    private static let maxBytes = 8 << 20

    private let session: SFTPSession
    private let handle: SFTPHandle
    private var calls: [SFTPCall] = []
    private var isAtEnd = false
    /// The remaining limits.
    private var left: Limits
    private let empty: Int

    /// - Parameters:
    ///   - handle: From `OPENDIR`. The caller closes it.
    ///   - limits: The limits for this folder.
    package init(_ session: SFTPSession, handle: SFTPHandle, limits: Limits = Limits()) {
        self.session = session
        self.handle = handle
        left = limits
        // A reply without names also counts, so that these cannot continue for ever either.
        empty = limits.entries / 1_000 + 1
        calls = (0..<Self.first).map { _ in session.begin([.readdir(handle)]) }
    }

    /// The next entries, including `.` and `..` if the server lists them; nil at the end.
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

    /// - Returns: The size of the reply in bytes.
    private mutating func count(_ names: [SFTPName]) -> Int {
        let kept = names.reduce(0) { $0 + $1.filename.count }
        let bytes = names.reduce(kept) { $0 + $1.longname.count }
        left.entries -= names.isEmpty ? empty : names.count
        left.names -= kept
        left.bytes -= bytes
        return bytes
    }

    /// Replaces the answered request, and adds one more, or all if the folder is long; fewer if the replies are so long
    /// that many would fill the memory.
    private mutating func ask(inEach names: Int, _ bytes: Int) {
        let maxCount = max(1, min(Self.maxCount, Self.maxNames / max(1, names), Self.maxBytes / max(1, bytes)))
        let more = names < Self.many ? 2 : maxCount
        for _ in 0..<max(0, min(more, maxCount - calls.count)) { calls.append(session.begin([.readdir(handle)])) }
    }

    /// Thrown for a folder with more entries, or longer ones, than the limits allow.
    package struct TooLong: Error {}
}
