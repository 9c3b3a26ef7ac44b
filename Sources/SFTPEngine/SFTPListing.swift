/// The entries of an open folder, with several `READDIR`s on their way.
package struct SFTPListing {
    /// On their way at first: more than most folders take.
    private static let first = 16
    /// On their way at most.
    private static let most = 64
    /// Entries of one folder that are read; a server can go on for ever.
    package static let longest = 10_000_000

    private let session: SFTPSession
    private let handle: SFTPHandle
    private var calls: [SFTPCall] = []
    private var isAtEnd = false
    private var count = 0

    /// - Parameter handle: From `OPENDIR`; closing it is the caller's.
    package init(_ session: SFTPSession, _ handle: SFTPHandle) {
        self.session = session
        self.handle = handle
        calls = (0..<Self.first).map { _ in session.begin([.readdir(handle)]) }
    }

    /// The next entries, `.` and `..` among them where the server tells these; nil at the end.
    ///
    /// - Throws: An ``SFTPRefusal``; `SFTPListing.TooLong` after ``longest`` entries; as `SFTPSession.send(_:)`.
    package mutating func next() async throws -> [SFTPName]? {
        while !calls.isEmpty {
            let reply = try await calls.removeFirst().value()[0]
            switch reply {
            case .names(let names):
                if !isAtEnd { ask() }
                count += names.count
                guard count <= Self.longest else { throw TooLong() }
                if !names.isEmpty { return names }
            case .status(let status) where status.isEndOfFile: isAtEnd = true
            case .status(let status): throw SFTPRefusal(status: status)
            default: throw SFTPRefusal(status: SFTPStatus(code: SFTPStatus.Code.badMessage))
            }
        }
        return nil
    }

    /// One for the one that was answered, and one more.
    private mutating func ask() {
        let more = min(2, Self.most - calls.count)
        for _ in 0..<more { calls.append(session.begin([.readdir(handle)])) }
    }

    /// A folder has more entries than are read.
    package struct TooLong: Error {}
}
