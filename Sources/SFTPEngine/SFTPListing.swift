/// The entries of an open folder, with several `READDIR`s on their way.
package struct SFTPListing {
    /// On their way at first: more than most folders take.
    private static let first = 16
    /// On their way at most.
    private static let most = 128
    /// Names in an answer that tell of a long folder: small ones have fewer in all.
    private static let many = 50
    /// Entries on their way at most, where all answers are like the last.
    private static let mostNames = 65_536
    /// Entries of one folder that are read; a server can go on for ever.
    package static let longest = 10_000_000

    private let session: SFTPSession
    private let handle: SFTPHandle
    private var calls: [SFTPCall] = []
    private var isAtEnd = false
    private let longest: Int
    private var count = 0

    /// - Parameters:
    ///   - handle: From `OPENDIR`; closing it is the caller's.
    ///   - longest: Entries that are read.
    package init(_ session: SFTPSession, _ handle: SFTPHandle, longest: Int = SFTPListing.longest) {
        self.session = session
        self.handle = handle
        self.longest = longest
        calls = (0..<Self.first).map { _ in session.begin([.readdir(handle)]) }
    }

    /// The next entries, `.` and `..` among them where the server tells these; nil at the end.
    ///
    /// - Throws: An ``SFTPRefusal``; `SFTPListing.TooLong` after `longest` entries; as `SFTPSession.send(_:)`.
    package mutating func next() async throws -> [SFTPName]? {
        while !calls.isEmpty {
            let reply = try await calls.removeFirst().value()[0]
            switch reply {
            case .names(let names):
                // An answer without names counts as many: it must not go on for ever either.
                count += names.isEmpty ? longest / 1_000 + 1 : names.count
                if !isAtEnd { ask(inEach: names.count) }
                guard count <= longest else { throw TooLong() }
                if !names.isEmpty { return names }
            case .status(let status) where status.isEndOfFile: isAtEnd = true
            case .status(let status): throw SFTPRefusal(status: status)
            default: throw SFTPRefusal(status: SFTPStatus(code: SFTPStatus.Code.badMessage))
            }
        }
        return nil
    }

    /// One for the one that was answered, and one more, or all where the folder is long; fewer where answers are so long that many would
    /// fill the memory.
    private mutating func ask(inEach names: Int) {
        let most = max(1, min(Self.most, Self.mostNames / max(1, names)))
        let more = names < Self.many ? 2 : most
        for _ in 0..<max(0, min(more, most - calls.count)) { calls.append(session.begin([.readdir(handle)])) }
    }

    /// A folder has more entries than are read.
    package struct TooLong: Error {}
}
